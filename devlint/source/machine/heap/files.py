"""The files of a program, and their definitions: scopes, functions and classes. Each refers to the others."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.model import SiteId
from devlint.source import ir
from devlint.source.machine.domain.importers import Importer
from devlint.source.machine.domain.values import Cells, Object, Value
from devlint.source.machine.reporting.event_log import EventLog
from devlint.source.walk import walk

SITES_PER_FILE = 1 << 32
"""A file's nodes are numbered from a multiple of this, so that a number identifies file and node."""


_TORCH = frozenset(
    {"torch", "lightning", "pytorch_lightning", "transformers", "diffusers", "accelerate", "ignite"}
)


CONFIGURED = "configured"
"""Marks a function that is given a configuration if it is called without arguments, as by `hydra.main`."""
_IMPORTERS = frozenset({"__import__", "import_module", "importorskip"})
"""Functions of Python, importlib and pytest that import a module by its name."""


_TEST_LIBRARIES = frozenset({"pytest", "unittest", "nose"})


def _brings_torch(node: ir.Import) -> bool:
    """Whether an import imports torch, or all names of another file, torch perhaps among them."""
    return node.name in ("*", "torch") or node.module.split(".")[0] in _TORCH


def _imports_tests(node: ir.Import) -> bool:
    """Whether an import imports a library of tests. `unittest.mock` replaces objects in programs, too."""
    whole = ".".join((node.module, node.name)).split(".")
    return whole[0] in _TEST_LIBRARIES and "mock" not in whole[1:2]


def _imports_torch(call: ir.CallExpression) -> bool:
    """Whether a call imports torch: `pytest.importorskip("torch")`."""
    match call:
        case ir.CallExpression(function=ir.Attribute(name=name) | ir.Name(name=name), arguments=(first, *_)):
            is_torch = isinstance(first.value, ir.Constant) and first.value.value == "torch"
            return is_torch and name in _IMPORTERS
        case _:
            return False


class File(Importer):
    """A file: its statements, its global names, and the number of its first site."""

    __slots__ = (
        "base", "body", "choice", "classes", "functions", "is_of_tests", "knows_torch", "log", "name",
        "process", "scope", "set_by_functions", "size", "stars", "started",
    )  # fmt: skip

    def __init__(self, path: str, base: int, body: ir.Block, module: str, log: EventLog) -> None:
        super().__init__(path, module)
        self.name = module or "__main__"
        """The value of `__name__`: `__main__` for the file at which a program starts."""
        self.base = base
        self.body = body
        self.size = 0
        """The number of its statements and expressions."""
        self.knows_torch = False
        """Whether it imports torch, or a package that returns objects of torch."""
        self.is_of_tests = False
        """Whether it imports a library of tests, which call the project's functions with data on the host."""
        redirects = False
        for node in walk(body, into_scopes=True):
            self.size += 1
            if isinstance(node, ir.Outer):
                redirects = redirects or node.is_global
            elif isinstance(node, ir.Import):
                self.knows_torch = self.knows_torch or _brings_torch(node)
                self.is_of_tests = self.is_of_tests or _imports_tests(node)
            elif isinstance(node, ir.CallExpression):
                self.knows_torch = self.knows_torch or _imports_torch(node)
        self.set_by_functions = frozenset(_set_by_functions(body)) if redirects else frozenset()
        """Its global names that one of its functions assigns by `global`."""
        self.log = log
        """The events of its body, executed for its importers."""
        self.scope: Scope
        self.started = False
        """Whether its body was executed, or is being executed."""
        self.process: Cells = {}
        """The effect of importing it on the process."""
        self.choice: SiteId | None = None
        """The first test by which its body chooses whether to use an accelerator."""
        self.functions: list[Function] = []
        self.classes: list[Class] = []
        """Its definitions, in order."""
        self.stars: list[str] = []
        """The modules outside the project from which it imports all names."""


def _set_by_functions(body: ir.Block) -> Iterator[str]:
    """The global names that some function of a file assigns and does not read.

    A function that reads the name too creates the value on first use.
    """
    for function in walk(body, into_scopes=True):
        own = list(walk(function.body)) if isinstance(function, ir.FunctionDef) else []
        outer = (each for each in own if isinstance(each, ir.Outer) and each.is_global)
        declared = {name for each in outer for name in each.names}
        if declared:
            targets = [each for node in own if isinstance(node, ir.Assign) for each in walk(node.targets)]
            names = [each for each in own if isinstance(each, ir.Name) and each.name in declared]
            yield from {each.name for each in names} - {each.name for each in names if each not in targets}


class Scope(Object):
    """The names of a function's activation, a class body or a file."""

    __slots__ = ("file", "outer", "owner", "redirected")

    def __init__(self, outer: Scope | None, file: File, owner: Class | None = None) -> None:
        super().__init__()
        self.owner = owner
        """The class, for a class body: methods do not see its names."""
        self.outer = outer
        self.file = file
        self.redirected: dict[str, Scope] = {}
        """Names declared `global` or `nonlocal`, with the scopes to which they belong."""

    def look_up(self, name: str) -> Value | None:
        """The value of a name in this scope or an outer one, except builtins."""
        scope: Scope | None = self
        while scope is not None:
            held = scope.cells.get(name)
            if held is not None:
                return held
            scope = scope.outer
        return None

    def home(self, name: str) -> Scope:
        """The scope in which an assignment binds a name."""
        return self.redirected.get(name, self)


class Function(Object):
    """A function of the project, with the scope over which it closes."""

    __slots__ = (
        "decorators", "defaults", "file", "identity", "is_closure", "marks", "node", "owner", "qualname",
        "registered", "scope",
    )  # fmt: skip

    def __init__(
        self,
        node: ir.FunctionDef | ir.Lambda,
        scope: Scope,
        file: File,
        qualname: str,
        defaults: dict[str, Value],
        owner: Class | None = None,
    ) -> None:
        super().__init__()
        self.node = node
        self.scope = scope
        self.is_closure = scope.outer is not None
        """Whether it is defined in another function or in a class body, whose names it may read."""
        self.file = file
        self.identity: tuple[str, SiteId] = (file.path, node.id)
        """The site of its definition: file and node."""
        self.qualname = qualname
        self.defaults = defaults
        self.owner = owner
        self.marks: frozenset[str] = frozenset()
        """The effects of its decorators: `staticmethod`, `classmethod`, `property`, `contextmanager`,
        `overloaded`."""
        self.decorators: frozenset[str] = frozenset()
        """The canonical names of its decorators from outside the project, without those of `marks`."""
        self.registered: list[tuple[Value, Function]] = []
        """Where the type of the first argument chooses among several functions: types, and the function for
        each."""

    @property
    def name(self) -> str:
        """Its own name; a lambda has none."""
        return self.node.name if isinstance(self.node, ir.FunctionDef) else "<lambda>"


class Class(Object):
    """A class of the project; its cells are the attributes of the class body."""

    __slots__ = ("_order", "bases", "externals", "fields", "file", "marks", "metaclass", "name", "node")

    def __init__(self, node: ir.ClassDef, file: File, bases: tuple[Value, ...]) -> None:
        super().__init__()
        self.node = node
        self.name = node.name
        self.file = file
        self.bases = bases
        self.marks: frozenset[str] = frozenset()
        """The effects of decorators and bases: `dataclass`, `namedtuple`, `enum`."""
        self.fields: list[str] = []
        """The fields that its own body declares, if it is a record."""
        self.order = ()
        self.metaclass: Class | None = None
        """The metaclass, if it is a class of the project; a base's if it has none of its own."""

    @property
    def order(self) -> tuple[Class | str, ...]:
        """The order of attribute lookup; classes outside the project are given by name."""
        return self._order

    @order.setter
    def order(self, order: tuple[Class | str, ...]) -> None:
        self._order = order
        self.externals = tuple(each for each in order if isinstance(each, str))
        """The canonical names of the classes outside the project from which it inherits."""
