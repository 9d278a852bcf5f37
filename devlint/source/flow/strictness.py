"""What is right on the host alone: no bug that shows, and to be avoided where code shall run anywhere."""

from __future__ import annotations

from devlint.model import (
    CPU,
    Certainty,
    Registration,
    RegistrationKind,
    SettingKind,
    SiteId,
    is_accelerator,
)
from devlint.source import ir
from devlint.source.flow.class_info import CONSTRUCTOR, ClassInfo
from devlint.source.flow.fates import is_brought_down, is_number, is_settled
from devlint.source.flow.frame import Frame
from devlint.source.flow.operands import operand
from devlint.source.flow.values import PARAMETER_MAKERS, DeviceValue, Tensor, Value
from devlint.source.walk import text


def note_factory(frame: Frame, site: SiteId, operator: str) -> None:
    """Notes a factory that names no device, in a function that has one at hand, or is a module's."""
    if frame.is_body or frame.on_host or frame.qualname.endswith(f".{CONSTRUCTOR}"):
        return
    at_hand = _device_at_hand(frame)
    if not at_hand and (frame.info is None or not frame.info.is_module):
        return
    if not is_settled(frame, site):
        frame.note_setting(SettingKind.IMPLICIT_DEVICE, site, operator, at_hand)


def note_array(frame: Frame, site: SiteId, operator: str, read: Value, expression: ir.Expression) -> None:
    """Notes an array of a tensor that nothing has brought to the host."""
    if not isinstance(read, Tensor) or read.device == CPU or is_accelerator(read.device) or frame.on_host:
        return
    if not is_brought_down(frame, expression):
        frame.note_setting(SettingKind.HOST_ASSUMED, site, operator, text(expression))


def note_plain_tensors(frame: Frame, info: ClassInfo) -> None:
    """Notes the tensors that a constructor makes and keeps where the module does not know of them."""
    if not info.is_module or info.moves_itself():
        return
    for name, assignments in info.assignments.items():
        value = frame.environment.get(f"self.{name}")
        if not isinstance(value, Tensor) or value.device != CPU or value.rank0 is True:
            continue
        if value.origin.made() is None or _is_registered(value):
            continue
        if any(is_number(frame, assignment.value) for assignment in assignments):
            continue
        statement = assignments[0].statement
        shown = operand(value, ir.Name(statement, f"self.{name}"))
        kind = RegistrationKind.PLAIN_TENSOR
        frame.emit(Registration(statement, None, Certainty.PROVEN, info.name, name, kind, shown, statement))


def _is_registered(value: Tensor) -> bool:
    last = value.origin.last
    return last is not None and last.operator in PARAMETER_MAKERS


def _device_at_hand(frame: Frame) -> str:
    """An expression that gives a device that need not be the host, in this function."""
    tensors: list[str] = []
    for value in frame.environment.names.values():
        if isinstance(value, DeviceValue) and value.text and value.device != CPU:
            return value.text
        if isinstance(value, Tensor) and value.evident and value.anchor and value.device != CPU:
            tensors.append(value.anchor)
    return tensors[0] if tensors else ""
