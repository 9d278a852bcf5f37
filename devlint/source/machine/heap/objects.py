"""Objects of the heap. Each has identity; only the store changes its cells.

The cells of every object are a dict: attributes by name, elements by position or key. So one journal serves
all of them (see `store`).
"""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Registration, SiteId
from devlint.source.machine.domain.loops import Loop
from devlint.source.machine.domain.values import TOP, DeviceValue, Object, Reference, Tensor, Value
from devlint.source.machine.heap.files import Class, File, Function, Scope

ELEMENT = "<element>"
"""The cell for all elements of a container whose position or key is not known."""


MARKER = "builtins.object"
"""The class of an object without contents, which a program only compares by identity."""


class Container(Object):
    """A list, tuple, set or dict.

    Elements of lists, tuples and sets are in cells by position, those of dicts by key. Elements at unknown
    places are joined in the cell `ELEMENT`.
    """

    __slots__ = ("born", "factory", "kept", "kind", "periodic")

    def __init__(self, kind: str, items: Iterable[Value] = (), element: Value | None = None) -> None:
        super().__init__(dict(enumerate(items)))
        self.kind = kind
        self.born: Loop | None = None
        """The innermost loop in which it was created."""
        self.periodic = False
        """Whether only some turns of that loop create it."""
        self.kept: SiteId | None = None
        """The statement that assigns it to an attribute of a module."""
        self.factory: Value | None = None
        """For a dict that makes the values of missing keys: the function that does."""
        if element is not None:
            self.cells[ELEMENT] = element

    @property
    def exact(self) -> bool:
        """Whether each of its elements has a cell of its own."""
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
        """The join of the elements at unknown places."""
        return self.cells.get(ELEMENT)


def _position(key: object) -> int:
    return key if isinstance(key, int) else 0


class Instance(Object):
    """An object of a class of the project, or of a class outside it, identified by canonical name."""

    __slots__ = ("arguments", "drawn", "left_out", "made", "of", "stands_for_many")

    def __init__(self, of: Class | str, made: SiteId) -> None:
        super().__init__()
        self.of = of
        self.made = made
        """The site of its creation."""
        self.drawn: Loop | None = None
        """The loop of which each turn draws another such object."""
        self.arguments: dict[str, Value] = {}
        """The constructor's arguments, for a class outside the project."""
        self.stands_for_many = False
        """Whether it stands for more modules than a union has alternatives, any of which it may be."""
        self.left_out: Registration | None = None
        """For a module: how its user stores it without registering it."""

    @property
    def class_name(self) -> str:
        """The name of its class."""
        return self.of if isinstance(self.of, str) else self.of.name


class BoundMethod(Object):
    """A method: a function of the project with its receiver."""

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


class Mover(Object):
    """The function that a module passes to its own `_apply` and that of its submodules, to move tensors."""

    __slots__ = ("met", "moved", "name", "parameters", "place", "site")

    def __init__(self, place: DeviceValue, site: SiteId, name: str) -> None:
        super().__init__()
        self.place = place
        self.site = site
        self.name = name
        """The moved module; empty for a hypothesis, which is not a move of the program."""
        self.met: set[Object] = set()
        """The modules whose `_apply` was called."""
        self.moved: set[Object] = set()
        """The modules whose tensors were moved."""
        self.parameters: dict[int | None, Tensor] = {}
        """The moved parameters, by the serial numbers that they had before."""


class Super(Object):
    """`super()`: the attributes that an object has from the classes after a given one."""

    __slots__ = ("after", "receiver")

    def __init__(self, after: Class, receiver: Value) -> None:
        super().__init__()
        self.after = after
        self.receiver = receiver


class GeneratorObject(Object):
    """A call of a generator function, which runs when an element is drawn."""

    __slots__ = ("arguments", "born", "drawn", "function", "periodic")

    def __init__(self, function: Function, arguments: Scope, born: Loop | None, *, periodic: bool) -> None:
        super().__init__()
        self.born, self.periodic = born, periodic
        """The innermost loop in which it was created, and whether only some turns of that create it."""
        self.function = function
        self.arguments = arguments
        self.drawn: Value = TOP


class ModuleFile(Object):
    """A file of the project as a module object."""

    __slots__ = ("file",)

    def __init__(self, file: File) -> None:
        super().__init__()
        self.file = file


def is_marker(held: Value) -> bool:
    """Whether a value is `object()`, which marks an end or an argument that is not given."""
    return isinstance(held, Reference) and isinstance(held.target, Instance) and held.target.of == MARKER
