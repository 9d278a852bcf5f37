"""Objects of the heap. Each is told apart by identity; its cells are changed through the store alone.

Cells are kept in a dict, whatever the object: attributes by name, elements by position or key. So one
journal serves all of them (see `store`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

from devlint.model import Registration, SiteId
from devlint.source import ir
from devlint.source.machine.domain.values import TOP, Value

if TYPE_CHECKING:
    from devlint.source.machine.heap.files import File
    from devlint.source.machine.reporting.loops import Loop

Cells: TypeAlias = dict[object, Value]

ELEMENT = "<element>"
"""The cell of a container for all elements of which neither place nor key is known."""


class Object:
    """Something with identity and cells."""

    __slots__ = ("cells", "fresh", "stamp")

    def __init__(self, cells: Cells | None = None) -> None:
        self.cells: Cells = {} if cells is None else cells
        self.stamp = 0
        """Counts up with each change, so that what rests on the object can be told to be stale."""
        self.fresh = 0
        """The depth of the call in which it was made."""


class Scope(Object):
    """The names of a function's activation, a class body or a file."""

    __slots__ = ("file", "outer", "owner", "redirected")

    def __init__(self, outer: Scope | None, file: File, owner: Class | None = None) -> None:
        super().__init__()
        self.owner = owner
        """The class whose body it is; methods do not see such names."""
        self.outer = outer
        self.file = file
        self.redirected: dict[str, Scope] = {}
        """Names that `global` or `nonlocal` hand to another scope."""

    def look_up(self, name: str) -> Value | None:
        """What a name holds here or further out, without the builtins."""
        scope: Scope | None = self
        while scope is not None:
            held = scope.cells.get(name)
            if held is not None:
                return held
            scope = scope.outer
        return None

    def home(self, name: str) -> Scope:
        """The scope to which an assignment to a name goes."""
        return self.redirected.get(name, self)


class Container(Object):
    """A list, tuple, set or dict.

    Elements of lists, tuples and sets are in cells by position, those of dicts by key. Elements of which no
    place is known are joined in the cell `ELEMENT`.
    """

    __slots__ = ("born", "kept", "kind")

    def __init__(self, kind: str, items: Iterable[Value] = (), element: Value | None = None) -> None:
        super().__init__(dict(enumerate(items)))
        self.kind = kind
        self.born: Loop | None = None
        """The innermost loop in which it was made."""
        self.kept: SiteId | None = None
        """The statement that makes it an attribute of a module."""
        if element is not None:
            self.cells[ELEMENT] = element

    @property
    def exact(self) -> bool:
        """Whether all its elements are in cells of their own."""
        return ELEMENT not in self.cells

    @property
    def keys(self) -> list[object]:
        """The known keys or positions, in order."""
        keys = [key for key in self.cells if key != ELEMENT]
        return keys if self.kind == "dict" else sorted(keys, key=_position)

    @property
    def items(self) -> list[Value]:
        """The known elements, in order; for a dict its values."""
        return [self.cells[key] for key in self.keys]

    @property
    def length(self) -> int:
        """The number of known elements."""
        return len(self.cells) - (ELEMENT in self.cells)

    @property
    def element(self) -> Value | None:
        """What stands for the elements of which no place is known."""
        return self.cells.get(ELEMENT)


def _position(key: object) -> int:
    return key if isinstance(key, int) else 0


class Function(Object):
    """A function of the project, with the scope that it closes over."""

    __slots__ = ("defaults", "file", "marks", "node", "owner", "qualname", "scope")

    def __init__(
        self,
        node: ir.Function | ir.Lambda,
        scope: Scope,
        file: File,
        qualname: str,
        defaults: dict[str, Value],
        owner: Class | None = None,
    ) -> None:
        super().__init__()
        self.node = node
        self.scope = scope
        self.file = file
        self.qualname = qualname
        self.defaults = defaults
        self.owner = owner
        self.marks: frozenset[str] = frozenset()
        """What decorators make of it: `staticmethod`, `classmethod`, `property`, `contextmanager`."""

    @property
    def identity(self) -> tuple[str, SiteId]:
        """The place of its definition: file and node."""
        return (self.file.path, self.node.id)

    @property
    def name(self) -> str:
        """Its own name; a lambda has none."""
        return self.node.name if isinstance(self.node, ir.Function) else "<lambda>"


class Class(Object):
    """A class of the project; its cells are the attributes of the class body."""

    __slots__ = ("bases", "fields", "file", "marks", "name", "node", "order")

    def __init__(self, node: ir.Class, file: File, bases: tuple[Value, ...]) -> None:
        super().__init__()
        self.node = node
        self.name = node.name
        self.file = file
        self.bases = bases
        self.marks: frozenset[str] = frozenset()
        """What decorators and bases make of it: `dataclass`, `namedtuple`, `enum`."""
        self.fields: list[str] = []
        """The fields that its own body declares, if it is a record."""
        self.order: tuple[Class | str, ...] = ()
        """The classes in the order in which attributes are looked up; others than the project's by name."""

    @property
    def externals(self) -> tuple[str, ...]:
        """The canonical names of the classes outside the project from which it inherits."""
        return tuple(each for each in self.order if isinstance(each, str))


class Instance(Object):
    """An object of a class of the project, or of one outside of it, which goes by its canonical name."""

    __slots__ = ("arguments", "drawn", "left_out", "made", "of")

    def __init__(self, of: Class | str, made: SiteId) -> None:
        super().__init__()
        self.of = of
        self.made = made
        """Where it was made."""
        self.drawn: Loop | None = None
        """The loop of which each turn draws another such object."""
        self.arguments: dict[str, Value] = {}
        """What an object of a class outside the project was made with."""
        self.left_out: Registration | None = None
        """For a module: how it is kept from those who move and train the one that uses it."""

    @property
    def class_name(self) -> str:
        """The name of its class."""
        return self.of if isinstance(self.of, str) else self.of.name


class BoundMethod(Object):
    """A function of the project with its receiver."""

    __slots__ = ("function", "receiver")

    def __init__(self, function: Function, receiver: Value) -> None:
        super().__init__()
        self.function = function
        self.receiver = receiver


class Partial(Object):
    """`functools.partial(callee, ...)`."""

    __slots__ = ("arguments", "callee", "keywords")

    def __init__(self, callee: Value, arguments: list[Value], keywords: dict[str, Value]) -> None:
        super().__init__()
        self.callee = callee
        self.arguments = arguments
        self.keywords = keywords


class Super(Object):
    """`super()`: what an object has from the classes behind one of its own."""

    __slots__ = ("after", "receiver")

    def __init__(self, after: Class, receiver: Value) -> None:
        super().__init__()
        self.after = after
        self.receiver = receiver


class GeneratorObject(Object):
    """A call of a generator function, which runs when something is drawn from it."""

    __slots__ = ("arguments", "drawn", "function")

    def __init__(self, function: Function, arguments: Scope) -> None:
        super().__init__()
        self.function = function
        self.arguments = arguments
        self.drawn: Value = TOP


class ModuleFile(Object):
    """A file of the project as a module object."""

    __slots__ = ("file",)

    def __init__(self, file: File) -> None:
        super().__init__()
        self.file = file
