"""What is known of a class of the project: its methods, what its objects hold, and what it inherits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from devlint.model import Device, SiteId
from devlint.source import ir
from devlint.source.flow.syntax.movers import UPLOADERS
from devlint.source.walk import Node, bound_names, path, walk

if TYPE_CHECKING:
    from devlint.source.flow.state.values import Home, Value


PROPERTIES = frozenset({"property", "cached_property", "functools.cached_property"})


def is_property(function: ir.Function) -> bool:
    """Whether a method is called by reading an attribute."""
    return any(path(decorator) in PROPERTIES for decorator in function.decorators)


OWN_MOVES = UPLOADERS | {"cpu", "_apply", "_move", "move_to_device"}
"""Methods by which a class moves its plain attributes itself."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """`self.name = value` in a constructor."""

    statement: SiteId
    value: SiteId
    after_super: bool
    """Whether `super().__init__()` was called before, so that a buffer can be registered instead."""


@dataclass(slots=True)
class ClassInfo:
    """What is known of a class of the project."""

    name: str
    node: ir.Class
    bases: tuple[Value, ...] = ()
    home: Home | None = None
    outside: tuple[str, ...] = ()
    """The canonical names of its bases outside the file."""
    is_module: bool = False
    own_names: frozenset[str] = frozenset()
    """What the class itself has by these names, before any instance has: methods, properties, defaults."""
    is_data_set: bool = False
    """Whether data loaders draw from it, in worker processes of theirs if need be."""
    unknown_base: bool = False
    """Whether a base stands outside the file and is not known to be, or not to be, a module."""
    methods: dict[str, ir.Function] = field(default_factory=dict)
    attributes: dict[str, Value] = field(default_factory=dict)
    """Instance attributes as `__init__` leaves them and no other method changes them; class attributes
    too."""
    given: dict[Device, Device] = field(default_factory=dict)
    """The devices of attributes, each with the one of the constructor's parameters that it is."""
    made_on: frozenset[Device] = frozenset()
    """Where its methods make parameters, buffers and parts, in terms of the constructor's parameters."""
    assignments: dict[str, list[Assignment]] = field(default_factory=dict)
    """The statements of `__init__` that set each attribute."""
    stated: tuple[str, ...] = ()
    """The fields that its body annotates, in order."""
    is_record: bool = False
    """Whether it is a dataclass or a named tuple, made of its fields."""
    moved_by_constructor: bool = False
    """Whether `__init__` moves the module: `self.cuda()`."""
    resolved: bool = False
    """Whether `attributes` has been worked out."""
    device: str | None = None
    """Under which name its methods know a device, `self.device`; None where nobody has looked yet."""
    used_as_tensors: frozenset[str] | None = None
    """The attributes that its methods use as tensors; None where nobody has looked yet."""
    binding: tuple[ir.Function, ...] | None = field(default=None, compare=False)
    """The methods that set attributes; None where nobody has looked yet."""
    made_by: frozenset[str] | None = field(default=None, compare=False)
    """The names of the methods that make an object; None where nobody has looked yet."""
    moved_in_forward: frozenset[str] | None = field(default=None, compare=False)
    """What its `forward` moves, by name; None where nobody has looked yet."""
    inputs_from_anywhere: frozenset[str] | None = field(default=None, compare=False)
    """By what its `forward` indexes and no more, or what it reads on the host; None where nobody has
    looked yet."""
    rewritten: bool | None = field(default=None, compare=False)
    """Whether its methods replace attributes by computed names; None where nobody has looked yet."""
    _above: tuple[ClassInfo, ...] | None = field(default=None, compare=False, repr=False)

    def method(self, name: str) -> tuple[ir.Function, ClassInfo] | None:
        """A method of the class or of its bases in the file, with the class that defines it."""
        for info in self.lineage():
            if name in info.methods:
                return info.methods[name], info
        return None

    def inherited(self, name: str) -> tuple[ir.Function, ClassInfo] | None:
        """A method of the bases in the project, with the class that defines it."""
        for info in self.lineage()[1:]:
            if name in info.methods:
                return info.methods[name], info
        return None

    def has_property(self, name: str) -> bool:
        """Whether an attribute is computed by a method of the class or of its bases in the file."""
        found = self.method(name)
        return found is not None and is_property(found[0])

    def lineage(self) -> tuple[ClassInfo, ...]:
        """The class and its bases in the file, in the order in which attributes are looked up."""
        if self._above is None:
            self._above = self._bases_in_order()
        return (self, *self._above)

    def _bases_in_order(self) -> tuple[ClassInfo, ...]:
        order: list[ClassInfo] = []
        pending: list[ClassInfo] = [self]
        while pending:
            info = pending.pop(0)
            if info not in order:
                order.append(info)
                pending.extend(
                    base.info for base in info.bases if hasattr(base, "info") and base.info is not None
                )
        return tuple(order[1:])

    def overrides(self) -> list[tuple[int, int]]:
        """The methods of its bases in its own file that it defines anew, each with the new one. A constructor
        is called for one class only."""
        return [
            (base.methods[name].id, function.id)
            for base in self.lineage()[1:]
            for name, function in self.methods.items()
            if name in base.methods and name != CONSTRUCTOR and base.home is self.home
        ]

    def moves_itself(self) -> bool:
        """Whether the class has its own way of moving what `nn.Module` does not know."""
        own = (info.methods.get(name) for info in self.lineage() for name in OWN_MOVES)
        return any(method is not None and not _only_passes_on(method) for method in own)

    def may_move(self, attribute: str) -> bool:
        """Whether one of its own moves may reach a plain attribute: it names it, as does the table of names
        that it goes over; it takes all that an object has; or it leaves the work to another method."""
        if self.rewrites_itself():
            return True
        own = [info.methods[name] for info in self.lineage() for name in OWN_MOVES if name in info.methods]
        moves = [node for method in own if not _only_passes_on(method) for node in walk(method.body)]
        reaches_all = any(map(self._reaches_all, walk(own, into_scopes=True)))
        if reaches_all or any(_names(node, attribute) for node in moves):
            return True
        by_table = any(isinstance(node, ir.Call) and path(node.function) == "setattr" for node in moves)
        methods = (method for info in self.lineage() for method in info.methods.values())
        return by_table and any(
            isinstance(node, ir.Constant) and node.value == attribute
            for node in walk(methods, into_scopes=True)
        )

    def rewrites_itself(self) -> bool:
        """Whether some method puts other values in the places of attributes that it does not name:
        `self.__dict__[name] = value.to(device)`."""
        if self.rewritten is None:
            methods = (method for info in self.lineage() for method in info.methods.values())
            self.rewritten = any(map(_is_stored_by_name, walk(methods, into_scopes=True)))
        return self.rewritten

    def _reaches_all(self, node: Node) -> bool:
        """`self.__dict__`, `vars(self)`, `self.move_all()` of the project."""
        match node:
            case ir.Attribute(name="__dict__") | ir.Call(function=ir.Name(name="vars")):
                return True
            case ir.Call(function=ir.Attribute(value=ir.Name(name="self"), name=name)):
                return self.method(name) is not None
            case _:
                return False


def _names(node: Node, attribute: str) -> bool:
    """`self.mask`, `this.mask`, `"mask"`."""
    match node:
        case ir.Attribute(name=name):
            return name == attribute
        case ir.Constant(value=value):
            return value == attribute
        case _:
            return False


def _only_passes_on(method: ir.Function) -> bool:
    """Whether a method checks what it is given, and leaves the rest to its base: it changes nothing of its
    own."""
    passes_on = False
    for node in walk(method.body):
        if isinstance(node, ir.Assign) and any(
            name.startswith("self.") for name in bound_names(node.targets)
        ):
            return False
        if isinstance(node, ir.Call) and path(node.function) in {"setattr", "self._apply"}:
            return False
        if isinstance(node, ir.Attribute) and node.name in OWN_MOVES:
            if not (isinstance(node.value, ir.Call) and path(node.value.function) == "super"):
                return False
            passes_on = True
    return passes_on


CONSTRUCTOR = "__init__"


def _is_stored_by_name(node: Node) -> bool:
    """`self.__dict__[name] = x`, `vars(self)[name] = x`."""
    match node:
        case ir.Assign(targets=targets):
            return any(
                isinstance(target, ir.Subscript)
                and (path(target.value) == "self.__dict__" or _is_vars_of_self(target.value))
                for target in targets
            )
        case _:
            return False


def _is_vars_of_self(node: ir.Expression) -> bool:
    match node:
        case ir.Call(function=ir.Name(name="vars"), arguments=(ir.Argument(value=ir.Name(name="self")),)):
            return True
        case _:
            return False
