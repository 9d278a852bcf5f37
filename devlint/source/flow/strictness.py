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
from devlint.source.flow.at_hand import device_at_hand
from devlint.source.flow.class_info import CONSTRUCTOR, ClassInfo
from devlint.source.flow.fates import is_added_to, is_brought_down, is_number, is_settled, is_shared
from devlint.source.flow.frame import Frame
from devlint.source.flow.modulehood import may_be_module
from devlint.source.flow.operands import operand
from devlint.source.flow.values import PARAMETER_MAKERS, Tensor, Value
from devlint.source.walk import text


def note_factory(frame: Frame, site: SiteId, operator: str, *, is_number: bool = False) -> None:
    """Notes a factory that names no device, in a function that has one at hand, or is a module's.

    A tensor without dimensions may lie on the host, unless it is met in place.
    """
    if frame.is_body or _prepares_data(frame) or _builds_module(frame):
        return
    at_hand = device_at_hand(frame)
    if not (at_hand or _is_of_module(frame) or is_shared(frame, site)):
        return
    if is_number and not (is_shared(frame, site) or is_added_to(frame, site)):
        return
    if not is_settled(frame, site):
        frame.note_setting(SettingKind.IMPLICIT_DEVICE, site, operator, at_hand)


def _prepares_data(frame: Frame) -> bool:
    """Whether this is code for the host, by its name, and does not ask what it is given for its device."""
    return frame.on_host and not frame.evidence.located


def _is_of_module(frame: Frame) -> bool:
    return frame.info is not None and frame.info.is_module


def _builds_module(frame: Frame) -> bool:
    """Whether this is the constructor of what is, or may be, a module: it is moved as a whole later."""
    if frame.info is None or not frame.qualname.endswith(f".{CONSTRUCTOR}"):
        return False
    return any(info.is_module or info.unknown_base for info in frame.info.lineage())


def note_array(frame: Frame, site: SiteId, operator: str, read: Value, expression: ir.Expression) -> None:
    """Notes an array of a tensor that nothing has brought to the host."""
    if not isinstance(read, Tensor) or read.device == CPU or is_accelerator(read.device) or frame.on_host:
        return
    if not is_brought_down(frame, expression):
        frame.note_setting(SettingKind.HOST_ASSUMED, site, operator, text(expression))


def note_unkept_move(frame: Frame, site: SiteId, operator: str, owner: ir.Expression) -> None:
    """Notes a move whose result is dropped, of what may be a tensor and is not shown to be a module."""
    if isinstance(owner, ir.Call) or frame.is_test or may_be_module(frame, owner):
        return
    frame.note_setting(SettingKind.UNKEPT_MOVE, site, operator, text(owner))


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
