"""What is right on the host alone: no bug that shows, and to be avoided where code shall run anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from devlint.model import (
    CPU,
    Certainty,
    Registration,
    RegistrationKind,
    SettingKind,
    SiteId,
    Step,
    is_accelerator,
)
from devlint.source import ir
from devlint.source.flow.evidence.at_hand import device_at_hand
from devlint.source.flow.evidence.given import is_given
from devlint.source.flow.evidence.uses import kept_as_tensors
from devlint.source.flow.modules.kept_tensors import (
    is_akin_to_registered,
    is_registered_as,
    is_worked_out,
    may_be_tensor,
    registered_elsewhere,
)
from devlint.source.flow.modules.modulehood import may_be_module
from devlint.source.flow.operators.operands import operand
from devlint.source.flow.patterns.fates import (
    comes_from_elsewhere,
    is_added_to,
    is_brought_down,
    is_number,
    is_settled,
    is_shared,
    places_the_rest,
)
from devlint.source.flow.state.class_info import CONSTRUCTOR, ClassInfo
from devlint.source.flow.state.frame import OF_SELF, Frame, Passed
from devlint.source.flow.state.values import PARAMETER_MAKERS, TOP, Literal, Tensor, Value
from devlint.source.walk import path, text


def note_factory(frame: Frame, site: SiteId, operator: str, *, is_number: bool = False) -> None:
    """Notes a factory that names no device, in a function that has one at hand, or is a module's.

    A tensor without dimensions may lie on the host, unless it is met in place.
    """
    if not frame.wants(SettingKind.IMPLICIT_DEVICE):
        return
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
    """Whether this is the constructor of what is, or may be, a module: it is moved as a whole later, unless
    the constructor places others of its tensors itself."""
    if frame.info is None or not frame.is_constructor or places_the_rest(frame):
        return False
    return any(info.is_module or info.unknown_base for info in frame.info.lineage())


def note_host_data(frame: Frame, site: SiteId, source: str) -> None:
    """Notes tensors that certainly come on the host, in a function that has a device at hand and leaves them
    there."""
    if not frame.wants(SettingKind.HOST_DATA):
        return
    if frame.is_body or _prepares_data(frame) or _builds_module(frame):
        return
    at_hand = device_at_hand(frame)
    if at_hand and not is_settled(frame, site):
        frame.note_setting(SettingKind.HOST_DATA, site, source, at_hand)


def note_tensors_asked_for(frame: Frame, call: ir.Call, passed: Sequence[Passed]) -> None:
    """Notes what tokenizers and processors make for `return_tensors="pt"`, whoever they are."""
    for argument in passed:
        if argument.keyword == "return_tensors" and argument.value == Literal("pt"):
            note_host_data(frame, call.id, text(call.function))


def note_made_elsewhere(frame: Frame, site: SiteId, function: str, returned: Value) -> None:
    """Notes a tensor that another function of the project makes on the host, for want of a device."""
    if isinstance(returned, Tensor) and returned.device == CPU and returned.rank0 is not True:
        made = returned.origin.made()
        if made is not None and made.implicit:
            note_host_data(frame, site, function)


def note_array(frame: Frame, site: SiteId, operator: str, read: Value, expression: ir.Expression) -> None:
    """Notes an array of a tensor that nothing has brought to the host."""
    if not frame.wants(SettingKind.HOST_ASSUMED):
        return
    if not isinstance(read, Tensor) or read.device == CPU or is_accelerator(read.device):
        return
    if frame.on_host and not comes_from_elsewhere(frame, expression):
        return
    if not is_brought_down(frame, expression):
        frame.note_setting(SettingKind.HOST_ASSUMED, site, operator, text(expression))


def note_unkept_move(frame: Frame, site: SiteId, operator: str, owner: ir.Expression) -> None:
    """Notes a move whose result is dropped, of what may be a tensor and is not shown to be a module."""
    if not frame.wants(SettingKind.UNKEPT_MOVE):
        return
    if isinstance(owner, ir.Call) or frame.is_test or may_be_module(frame, owner):
        return
    frame.note_setting(SettingKind.UNKEPT_MOVE, site, operator, text(owner))


def note_plain_tensors(frame: Frame, info: ClassInfo) -> None:
    """Notes the tensors that a constructor makes, or is given, and keeps where the module does not know of
    them."""
    if not (info.is_module and frame.wants(RegistrationKind.PLAIN_TENSOR)):
        return
    for name, assignments in info.assignments.items():
        statement = assignments[0].statement
        kept = sorted(_kept_plainly(frame, name, statement), key=_is_open)
        tensors = map(partial(_as_tensor, frame, info, name, statement), kept)
        value = next((each for each in tensors if each), None)
        if value is None and any(map(_is_open, kept)):
            value = next((Tensor() for each in assignments if _is_shown(frame, each.statement)), None)
        if value is None or any(is_number(frame, each.value) for each in assignments):
            continue
        if info.may_move(name) or _registers_too(frame, name, statement, value):
            continue
        shown = operand(value, ir.Name(statement, f"self.{name}"))
        kind = RegistrationKind.PLAIN_TENSOR
        frame.emit(Registration(statement, None, Certainty.PROVEN, info.name, name, kind, shown, statement))


def _kept_plainly(frame: Frame, name: str, statement: SiteId) -> Sequence[Value]:
    """What a statement keeps under a name to which the constructor assigns no parameter, but on a way that
    excludes the statement's. What is worked out of one is none."""
    kept = frame.assigned.get(name, [])
    if not any(map(_is_registered, kept)) or (len(kept) == 1 and is_worked_out(frame, statement)):
        return kept
    elsewhere = registered_elsewhere(frame, statement)
    here = [each for each in kept if not _is_registered(each, elsewhere)]
    return [] if any(map(_is_registered, here)) else [each for each in here if not _is_open(each)]


def _registers_too(frame: Frame, name: str, statement: SiteId, kept: Tensor) -> bool:
    """Whether the constructor makes a buffer of that name on the statement's way, or on another, so that what
    is shown to be a tensor may be that one."""
    if not is_registered_as(frame, name):
        return False
    is_known = kept != Tensor()
    return not is_known or is_registered_as(frame, name, but=registered_elsewhere(frame, statement))


def _is_shown(frame: Frame, statement: SiteId) -> bool:
    """Whether the text shows that a statement keeps a tensor, of which the interpreter knows nothing."""
    return may_be_tensor(frame, statement) or is_akin_to_registered(frame, statement)


def _as_tensor(frame: Frame, info: ClassInfo, name: str, statement: SiteId, value: Value) -> Tensor | None:
    """What is kept, if it is a tensor that the module would have to move: one made on the host, one that came
    in, or one of which only the class's own use of it shows that it is a tensor. What is worked out of its
    state is another tensor, and stays behind."""
    if isinstance(value, Tensor) and value.evident:
        is_state = value.device == OF_SELF and not is_worked_out(frame, statement)
        stays = is_state or is_accelerator(value.device) or value.rank0 is True
        is_made = value.device != CPU or value.origin.made() is not None
        return None if stays or not is_made or _is_parameter(frame, info, value) else value
    if value is not TOP and not isinstance(value, Tensor):
        return None
    if info.used_as_tensors is None:
        methods = tuple(method for each in info.lineage() for method in each.methods.values())
        info.used_as_tensors = kept_as_tensors(methods, frame.canonical)
    return Tensor() if name in info.used_as_tensors else None


def _is_open(value: Value) -> bool:
    """Whether nothing shows what a value is."""
    return value is TOP or (isinstance(value, Tensor) and not value.evident)


def _is_parameter(frame: Frame, info: ClassInfo, value: Tensor) -> bool:
    """Whether it is the parameter of a layer, or the constructor states that it is given one: an
    `nn.Parameter` registers itself."""
    if value.untouched and value.origin.first is not None and value.origin.first.step is Step.MADE:
        return True
    given = value.device.name if is_given(value.device) else ""
    stated = (each.annotation for each in info.methods[CONSTRUCTOR].parameters if each.name == given)
    return any(frame.canonical(path(each)) == "torch.nn.Parameter" for each in stated if each is not None)


def _is_registered(value: Value, by: frozenset[SiteId] | None = None) -> bool:
    """Whether a value is a parameter or a buffer; `by` names the calls that count."""
    last = value.origin.last if isinstance(value, Tensor) else None
    return last is not None and last.operator in PARAMETER_MAKERS and (by is None or last.site in by)
