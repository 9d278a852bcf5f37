"""Arguments that name a device, and what they show about a program."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.model import (
    CPU,
    UNKNOWN,
    Concrete,
    Confidence,
    Device,
    SettingKind,
    SiteId,
    Symbol,
    SymbolKind,
    is_accelerator,
    parse_device,
)
from devlint.source import ir
from devlint.source.machine.domain.lattice import join_all, least_sure
from devlint.source.machine.domain.naming import device_named
from devlint.source.machine.domain.option_values import Option
from devlint.source.machine.domain.queries import DeviceQuery
from devlint.source.machine.domain.values import (
    NONE,
    STRING,
    DeviceValue,
    External,
    Known,
    Method,
    Reference,
    Scalar,
    Tensor,
    Top,
    Union,
    Value,
    changed,
)
from devlint.source.machine.heap.frames import Call, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.operators.availability import note_chosen, note_hard_coded
from devlint.source.walk import is_cut, path, text


def note_query(machine: Machine, site: SiteId, device: Device) -> None:
    """Record that a program supports an input of a hypothesis on any device, because it asks for that
    device."""
    if machine.execution.hypothesis and isinstance(device, Symbol):
        machine.note(DeviceQuery(site, None, Confidence.CERTAIN, device))


def wanted(machine: Machine, passed: Passed) -> DeviceValue:
    """The device that an argument names; unknown if it names no known device."""
    value = _without_containers(passed.value)
    passed = passed._replace(value=value)
    if isinstance(value, Union):
        return _wanted_of_several(machine, passed, value)
    note_literal(machine, value, passed)
    if isinstance(value, Tensor):
        return DeviceValue(UNKNOWN)
    named = device_named(value)
    found = named or _of_number(value) or _given_to_program(machine, passed)
    machine.process.facts.reads_ordinal |= named is None or named.any_ordinal
    if found is None:
        return DeviceValue(UNKNOWN)
    note_query(machine, passed.site, found.device)
    match found:
        case DeviceValue(device=Concrete(type="cuda", index=None) as device, any_ordinal=False):
            found = DeviceValue(current(machine, device), found.text, found.confidence)
    written = spelled(passed.expression) or found.text
    return DeviceValue(found.device, written, found.confidence, any_ordinal=found.any_ordinal)


def _without_containers(value: Value) -> Value:
    """The alternatives of a value that may name a device: no list, tuple or dict does, such as other entries
    of a configuration may be."""
    if not isinstance(value, Union):
        return value
    named = [
        each
        for each in value.alternatives
        if not (isinstance(each, Reference) and isinstance(each.target, Container))
    ]
    return join_all(named) if named else value


def _of_number(value: Value) -> DeviceValue | None:
    """The device of an unknown ordinal, such as the rank of a process."""
    if not isinstance(value, Scalar) or value.type != "int" or value.counter:
        return None
    return DeviceValue(Concrete("cuda"), confidence=Confidence.LIKELY, any_ordinal=True)


def _given_to_program(machine: Machine, passed: Passed) -> DeviceValue | None:
    """The device that an unknown value names which a program reads, such as an entry of a configuration."""
    found = None if machine.execution.hypothesis else _read_once(machine, passed)
    return None if found is None or found.device == UNKNOWN else found


def _wanted_of_several(machine: Machine, passed: Passed, value: Union) -> DeviceValue:
    """The device that a union names: None aside, its members name the same device, or an accelerator and the
    host, of which the accelerator is chosen."""
    chosen = accelerator_chosen(machine, passed, value)
    if chosen is not None:
        return wanted(machine, passed._replace(value=chosen))
    named = {
        wanted(machine, passed._replace(value=each)).device for each in value.alternatives if each != NONE
    }
    if len(named) == 1:
        return DeviceValue(named.pop(), spelled(passed.expression), Confidence.LIKELY)
    return DeviceValue(UNKNOWN)


def accelerator_chosen(machine: Machine, passed: Passed, value: Union) -> DeviceValue | None:
    """The accelerator, or the device that a caller gives, if an unknown condition chooses between it and the
    host. In a loop, a name may stand for each of several devices in turn."""
    if machine.execution.loop is not None and isinstance(passed.expression, ir.Name):
        return None
    named = [device_named(each) for each in value.alternatives if each != NONE]
    others = [each for each in named if each is None or each.device != CPU]
    chosen = _only(others)
    if chosen is None or len(named) < 2:
        return None
    return changed(chosen, confidence=least_sure(chosen.confidence, Confidence.LIKELY))


def _only(devices: Sequence[DeviceValue | None]) -> DeviceValue | None:
    """The only accelerator of several devices, or the one that a caller gives in place of an accelerator.

    The device of a tensor depends on the same path as the tensor."""
    known = [each for each in devices if each is not None and not each.of_tensor]
    given = [each for each in known if isinstance(each.device, Symbol)]
    if len(known) < len(devices):
        return None
    if len(given) == 1 and all(each == given[0] or is_accelerator(each.device) for each in known):
        return given[0]
    return known[0] if len(known) == 1 and is_accelerator(known[0].device) else None


def current(machine: Machine, device: Concrete) -> Concrete:
    """Resolves `cuda` to the current device, if the program has chosen one."""
    if device.index is None and machine.current_device is not None:
        return Concrete(device.type, machine.current_device)
    return device


def spelled(expression: ir.Expression) -> str:
    """The spelling of a device, if it means the same elsewhere in the function."""
    name = path(expression)
    if name:
        return name
    return text(expression) if isinstance(expression, ir.Constant) else ""


def spelled_out(place: DeviceValue) -> str:
    """The constant that names a device, which means the same everywhere."""
    return place.text if place.text.startswith(('"', "'")) else ""


def note_literal(machine: Machine, value: Value, passed: Passed) -> None:
    """Record what a literal device shows about the program."""
    if not isinstance(value, Known) or not isinstance(value.value, str):
        return
    device = parse_device(value.value)
    if not isinstance(passed.expression, ir.Constant):
        note_chosen(machine, device)
    if isinstance(value, Option):
        if device == CPU:
            machine.ask(f"option {value.key}")
        return
    if device is None:
        machine.setting(SettingKind.DEVICE_LITERAL, passed.site, value.value)
    elif device.type == "cuda":
        if isinstance(passed.expression, ir.Constant):
            note_hard_coded(machine, passed.site, value.value)
        note_ordinal(machine, passed.site, device)


def note_ordinal(machine: Machine, site: SiteId, device: Concrete) -> None:
    """Record an ordinal, if the program itself limits the number of visible devices."""
    visible = machine.process.visible_devices
    if visible is not None and device.index is not None:
        machine.setting(SettingKind.ORDINAL, site, str(device), str(visible))


def make_device(machine: Machine, call: Call) -> Value:
    """`torch.device(...)`: of a string, another device, a type with an index, or an ordinal."""
    first = next((each for each in call.passed if each.keyword in ("", "device", "type")), None)
    if first is None:
        return DeviceValue(UNKNOWN)
    second = call.value("index", 1)
    first = first._replace(value=_without_containers(first.value))
    if isinstance(first.value, Union):
        device = wanted(machine, first)
    else:
        note_literal(machine, first.value, first)
        named = device_named(first.value)
        device = named or _read_once(machine, first)
        machine.process.facts.reads_ordinal |= named is None or named.any_ordinal
    written = text(call.node) if isinstance(first.expression, ir.Constant) and second is None else ""
    made = DeviceValue(
        device.device,
        written or device.text,
        device.confidence,
        numbered=device.of_tensor or device.numbered,
        any_ordinal=device.any_ordinal,
    )
    if second is None or second == NONE or not isinstance(device.device, Concrete):
        return made
    numbered = _with_ordinal(made, device.device.type, second)
    machine.process.facts.reads_ordinal |= numbered.any_ordinal
    return numbered


def _read_once(machine: Machine, passed: Passed) -> DeviceValue:
    """The device named by an unknown value, such as an entry of a configuration: one fixed device, if the
    program reads the value outside of its loops. It is assumed to be an accelerator."""
    name = text(passed.expression)
    is_read = isinstance(passed.value, (Top, Method, External)) or passed.value == STRING
    if not is_read or machine.execution.loop is not None or is_cut(name):
        return DeviceValue(UNKNOWN)
    return DeviceValue(Symbol(name, SymbolKind.DEVICE), name, Confidence.LIKELY)


def _with_ordinal(device: DeviceValue, kind: str, index: Value) -> DeviceValue:
    match index:
        case Known(value=int(ordinal)):
            return changed(device, device=Concrete(kind, ordinal))
        case Scalar(ordinal_of=DeviceValue(device=Concrete(type=other) as place)) if other == kind:
            return changed(device, device=place, numbered=True)
        case _:
            sure = least_sure(device.confidence, Confidence.LIKELY)
            return changed(device, any_ordinal=True, confidence=sure)
