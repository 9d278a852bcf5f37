"""What a call can reach, as far as it can mix devices.

Where all tensors lie in one place, and nothing that a call can reach gives one another place, the call mixes
no devices, and need not be followed to find that out. What it can reach is over-approximated: by all names in
the code that it can reach, looked up in the classes of all objects that it can reach.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from devlint.model import UNKNOWN, Device, Symbol
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.values import (
    NONE,
    TOP,
    Array,
    DeviceValue,
    External,
    GeneratorValue,
    Imported,
    Known,
    Method,
    Object,
    Reference,
    Scalar,
    Tensor,
    Union,
    Value,
    alternatives,
)
from devlint.source.machine.heap.files import Class, Function
from devlint.source.machine.heap.objects import BoundMethod, Container, Instance, ModuleFile, Partial
from devlint.source.machine.interprocedural.references import Use, references
from devlint.source.machine.library.places import may_be_moving_method, may_give_place, names_place
from devlint.source.machine.modules.state import is_module
from devlint.source.machine.transfer.interpreter import Interpreter

_CONSTRUCTORS = frozenset({"__init__", "__new__", "__post_init__"})
"""Methods that Python calls for a class, and not for its objects."""


def may_mix_devices(machine: Interpreter, function: Function, receiver: Reference, place: Device) -> bool:
    """Whether a method may mix devices if it gets tensors in the place of its module."""
    reach = _Reach(machine, place)
    reach.value(receiver)
    reach.value(Reference(function))
    return reach.ends_elsewhere()


class _Reach:
    """The functions, classes and objects that a call can reach."""

    def __init__(self, machine: Interpreter, place: Device) -> None:
        self._machine = machine
        self._places = (place, UNKNOWN)
        self._waiting: list[Object] = []
        self._seen: set[Object] = set()
        self._names: set[str] = set()
        """The attributes that are used."""
        self._members: defaultdict[str, list[Value]] = defaultdict(list)
        """The members of reached classes and modules that are not used so far."""
        self._elsewhere = False
        """Whether something may be in another place."""

    def ends_elsewhere(self) -> bool:
        """Whether something that can be reached may be in another place, or put something there."""
        while self._waiting and not self._elsewhere:
            self._object(self._waiting.pop())
        return self._elsewhere

    def value(self, held: Value) -> None:
        """Reach a value."""
        match held:
            case Tensor(device=device) | Input(device=device):
                self._elsewhere = self._elsewhere or device not in self._places
            case DeviceValue(device=device) if not isinstance(device, Symbol):
                self._elsewhere = self._elsewhere or device not in self._places
            case Known(value=constant) | Scalar(text=constant):
                self._elsewhere = self._elsewhere or names_place(constant)
            case External(name=name):
                self._elsewhere = self._elsewhere or may_give_place(name)
            case Array() | GeneratorValue():
                self._elsewhere = True
            case Imported():
                self.value(self._machine.resolved(held))
            case Method(receiver=receiver, name=name):
                self.value(receiver)
                self._use(name)
            case Union(alternatives=members):
                for each in members:
                    self.value(each)
            case Reference(target=target) if target not in self._seen:
                self._seen.add(target)
                self._waiting.append(target)
            case _:
                pass

    def _object(self, held: Object) -> None:
        match held:
            case Function():
                self._function(held)
            case Class():
                self._class(held, constructs=True)
            case ModuleFile():
                self._add_members(held.file.scope.cells.items())
            case Instance():
                if isinstance(held.of, Class):
                    self._class(held.of, constructs=False)
                elif not is_module(held):
                    self.value(External(held.of))
                self._values(held.cells.values())
                self._values(held.arguments.values())
                if NONE in alternatives(held.cells.get("device", TOP)):
                    self._elsewhere = True  # where it is None, torch's default device is meant
            case Container():
                self._values(held.cells.values())
            case BoundMethod():
                self._values((Reference(held.function), held.receiver))
            case Partial():
                self._values((held.callee, *held.arguments, *held.keywords.values()))
            case _:
                self._elsewhere = True

    def _values(self, several: Iterable[Value]) -> None:
        for each in several:
            self.value(each)

    def _class(self, made: Class, *, constructs: bool) -> None:
        """Reach a class of an object, or one that may be called."""
        for each in made.order:
            if isinstance(each, Class):
                self._add_members(each.cells.items())
                if constructs:
                    self._values(each.cells[name] for name in _CONSTRUCTORS if name in each.cells)
            elif constructs:
                self.value(External(each))

    def _add_members(self, members: Iterable[tuple[object, Value]]) -> None:
        for name, held in members:
            if name in _CONSTRUCTORS or not isinstance(name, str):
                continue
            if name in self._names or name == "forward" or name.startswith("__"):
                self.value(held)
            else:
                self._members[name].append(held)

    def _use(self, name: str) -> None:
        """Reach all members with a name."""
        if name not in self._names:
            self._names.add(name)
            self._elsewhere = self._elsewhere or may_be_moving_method(name)
            self._values(self._members.pop(name, ()))

    def _function(self, function: Function) -> None:
        code = references(function.node)
        self._elsewhere = self._elsewhere or code.is_opaque
        self._values(function.defaults.values())
        self._values(Reference(each) for _, each in function.registered)
        for name in code.attributes:
            self._use(name)
        for use in code.uses:
            for each in _meanings(use.name, function):
                self._used(use, self._machine.resolved(each) if isinstance(each, Imported) else each)

    def _used(self, use: Use, held: Value) -> None:
        if isinstance(held, External):
            name = ".".join((held.name, *use.attributes))
            gives = may_give_place(name, is_called=use.is_called, has_device=use.has_device)
            self._elsewhere = self._elsewhere or gives
            return
        for each in use.attributes:
            self._use(each)
        self.value(held)


def _meanings(name: str, function: Function) -> Iterable[Value]:
    """What a name may mean in a function that does not bind it."""
    held = function.scope.look_up(name)
    if held is not None:
        return alternatives(held)
    return (TOP, *(External(f"{star}.{name}") for star in function.file.stars))
