"""What a constructor leaves behind: the attributes that the other methods of a class find."""

from __future__ import annotations

from collections.abc import Callable

from devlint.model import Certainty, Registration, RegistrationKind, Symbol, SymbolKind
from devlint.source import ir
from devlint.source.flow.frame import Frame
from devlint.source.flow.modules import ClassInfo, is_module_class, plain_container_of_modules, registered
from devlint.source.flow.operands import operand
from devlint.source.flow.values import TOP, DeviceValue, Tensor, Value, map_devices
from devlint.source.walk import path, walk

CONSTRUCTOR = "__init__"


def builds_layers(info: ClassInfo, resolve: Callable[[str], str]) -> bool:
    """Whether the constructor makes layers of `torch.nn` or registers state."""
    constructor = info.methods.get(CONSTRUCTOR)
    if constructor is None:
        return False
    for node in walk(constructor.body):
        if isinstance(node, ir.Call):
            name = path(node.function)
            if name in {"self.register_buffer", "self.register_parameter"}:
                return True
            if name and is_module_class(resolve(name)):
                return True
    return False


def attributes_after(frame: Frame, info: ClassInfo) -> None:
    """Keep what `__init__` has bound to attributes, except for what other methods bind anew."""
    rebound = _rebound_elsewhere(info)
    bound = {
        name.removeprefix("self."): value
        for name, value in frame.environment.names.items()
        if name.startswith("self.") and name.count(".") == 1
    }
    renamed = _names_of_parameters(frame, bound)
    by_hand = info.moves_itself()
    for name, value in bound.items():
        if info.is_module:
            _note_plain_container(frame, info, name, value)
        kept = registered(map_devices(value, lambda device: renamed.get(device, device)), name, info)
        if name in rebound or (by_hand and isinstance(kept, Tensor) and kept.attribute):
            kept = TOP
        info.attributes[name] = kept


def _rebound_elsewhere(info: ClassInfo) -> set[str]:
    names: set[str] = set()
    for method, function in info.methods.items():
        if method == CONSTRUCTOR:
            continue
        for node in walk(function.body, into_scopes=True):
            targets: tuple[ir.Expression, ...] = ()
            if isinstance(node, ir.Assign):
                targets = node.targets
            elif isinstance(node, ir.For):
                targets = (node.target,)
            for target in targets:
                for part in walk([target]):
                    if isinstance(part, ir.Attribute) and path(part.value) == "self":
                        names.add(part.name)
    return names


def _names_of_parameters(frame: Frame, bound: dict[str, Value]) -> dict[object, Symbol]:
    """What the constructor's parameters are called in the other methods: the attribute that keeps them."""
    renamed: dict[object, Symbol] = {}
    for name, value in bound.items():
        if isinstance(value, DeviceValue | Tensor) and isinstance(value.device, Symbol):
            kind = SymbolKind.DEVICE if isinstance(value, DeviceValue) else SymbolKind.TENSOR
            if not value.device.name.startswith("self"):
                renamed.setdefault(value.device, Symbol(f"self.{name}", kind))
    return renamed


def _note_plain_container(frame: Frame, info: ClassInfo, name: str, value: Value) -> None:
    assignments = info.assignments.get(name)
    if not assignments or not plain_container_of_modules(value):
        return
    statement = assignments[0].statement
    shown = operand(value, ir.Name(statement, f"self.{name}"))
    frame.emit(
        Registration(
            statement,
            None,
            Certainty.PROVEN,
            info.name,
            name,
            RegistrationKind.PLAIN_CONTAINER,
            shown,
            statement=statement,
        )
    )
