"""The text of the note on an error about devices: the operands, their histories, and the remedy."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.errors import EXPLANATIONS, ErrorKind, Recognised, particulars, recognise
from devlint.model import (
    UNKNOWN,
    Device,
    Draft,
    Kind,
    Operand,
    RegistrationKind,
    is_host,
)
from devlint.model.visible import visible
from devlint.rules import wording
from devlint.rules.operand_text import is_place
from devlint.runtime.explain.call import FailedCall, call_without_operands
from devlint.runtime.explain.events import judge_call
from devlint.runtime.explain.modules import ModuleAttribute
from devlint.runtime.explain.optimizers import is_state
from devlint.runtime.explain.sentences import about_module, history, keeping
from devlint.runtime.places.sites import Sites

PREFIX = "devlint: "
MAX_OPERANDS = 5
"""If there are more operands, one for each device is shown."""

_ABOUT_OPERANDS = frozenset(
    {
        ErrorKind.OPERANDS,
        ErrorKind.MODULE_INPUT,
        ErrorKind.INDEX,
        ErrorKind.GENERATOR,
        ErrorKind.NUMPY,
        ErrorKind.HOST_ARGUMENT,
        ErrorKind.DEVICE_CONSUMER,
        ErrorKind.GRADIENT,
        ErrorKind.OPTIMIZER_STATE,
        ErrorKind.REPLICAS,
        ErrorKind.COLLECTIVE,
        ErrorKind.META,
    }
)
"""Kinds of errors that are explained by operands and by the modules that hold them."""


def note(error: BaseException, call: FailedCall | None, sites: Sites) -> str | None:
    """The text of the note; None if the error is not about devices.

    Without a call, only the text, the place and the modules are known. An error that was passed on by a
    worker process has the note in its text.
    """
    text = text_of(error)
    recognised = None if f"\n{PREFIX}" in text else recognise(text)
    if recognised is None:
        return None
    return "\n".join(map(visible, _lines(recognised, call or call_without_operands(error, sites), sites)))


def attach(error: BaseException, text: str) -> None:
    """Add a note to an error, without a change of type and text. An error has at most one note of devlint.

    Python 3.10 does not print notes. There, they are stored in the same attribute, and the launcher prints
    them.
    """
    if not is_explained(error):
        notes = vars(error).setdefault("__notes__", [])
        if isinstance(notes, list):
            notes.append(text)


def is_explained(error: BaseException) -> bool:
    """Whether an error has a note. The first note is kept, because the innermost call knows most."""
    notes = vars(error).get("__notes__")
    return isinstance(notes, list) and any(
        isinstance(each, str) and each.startswith(PREFIX) for each in notes
    )


def text_of(error: BaseException) -> str:
    """The text of an error. Its `__str__` is not called, because it may run any code."""
    return "\n".join(argument for argument in error.args if isinstance(argument, str))


def _lines(recognised: Recognised, call: FailedCall | None, sites: Sites) -> Iterator[str]:
    if call is None:
        yield PREFIX + _text_message(recognised)
        yield f"  = help: {recognised.explanation.help}"
        return
    about_operands = recognised.kind in _ABOUT_OPERANDS
    judgment = judge_call(recognised.explanation.code, call, sites) if about_operands else None
    draft, subject = (None, call) if judgment is None else (judgment.draft, judgment.call)
    yield PREFIX + (f"{draft.code} {draft.message}" if draft is not None else _call_message(recognised, call))
    if draft is None and call.expression:
        yield f"  at {call.place}: {wording.code(call.expression)}"
    operands = _operands(subject) if about_operands else []
    for operand, kept in operands:
        yield f"  {history(operand, sites)}"
        if kept is not None:
            yield f"    {keeping(operand, kept)}"
        if operand.path in subject.dropped_moves:
            yield "    it was moved, but the result was not used: a move returns a new tensor"
    if about_operands and call.module is not None:
        yield from (f"  {line}" for line in about_module(call.module, unreached=not operands))
    yield f"  = help: {_help(recognised, call, subject, draft)}"


def _text_message(recognised: Recognised) -> str:
    """The message if only the text of the error is known."""
    said = f"{recognised.explanation.code} {recognised.explanation.says}".strip()
    more = particulars(recognised)
    return f"{said}: {more}" if more else said


def _call_message(recognised: Recognised, call: FailedCall) -> str:
    """The message if the call is known, but no rule reports it."""
    known = [operand for operand in call.operands if operand.device != UNKNOWN]
    if recognised.kind not in _ABOUT_OPERANDS or len({operand.device for operand in known}) < 2:
        return _text_message(recognised)
    said = f"{recognised.explanation.code} {recognised.explanation.says}".strip()
    where = f" in {wording.operator(call.operator)}" if call.operator else ""
    return f"{said}{where}: {wording.whereabouts(_one_a_device(known))}"


def _operands(call: FailedCall) -> list[tuple[Operand, ModuleAttribute | None]]:
    """The operands with known devices, each with the module attribute that holds it."""
    kept = dict(zip(call.operands, call.kept, strict=True))
    placed = [each for each in call.operands if each.kind in (Kind.TENSOR, Kind.MODULE)]
    return [(each, kept[each]) for each in _one_a_device(placed) if each.device != UNKNOWN]


def _one_a_device(operands: list[Operand]) -> list[Operand]:
    if len(operands) <= MAX_OPERANDS:
        return operands
    first: dict[Device, Operand] = {}
    for operand in operands:
        first.setdefault(operand.device, operand)
    return list(first.values())


def _help(recognised: Recognised, call: FailedCall, subject: FailedCall, draft: Draft | None) -> str:
    """The help of the rule, unless a more specific cause is known.

    More specific causes are a dropped move, state of an optimizer on another device than the module, a module
    that was not moved as a whole, and an unregistered tensor.
    """
    if subject.dropped_moves:
        path = min(subject.dropped_moves)
        how = f": `{path} = {path}.to(…)`" if is_place(path) else ""
        return f"keep the result of the move{how}"
    if recognised.kind is ErrorKind.OPERANDS and any(is_state(operand.path) for operand in call.operands):
        return EXPLANATIONS[ErrorKind.OPTIMIZER_STATE].help
    strays = [kept for kept in call.kept if kept is not None and _is_left_behind(kept, call)]
    for kept in strays:
        if kept.kind is not RegistrationKind.PLAIN_TENSOR and kept.reached and call.module is not None:
            name = call.module.name if call.module.named else ""
            return f'move the whole module before it is used: `{name}.to("{call.module.device}")`'
        if kept.kind is RegistrationKind.PLAIN_TENSOR and (draft is None or draft.code != "DL103"):
            where = f"in `{kept.owner_class}`"
            return f"register it as a buffer {where}, so that `.to()` moves it: `self.register_buffer(…)`"
    return draft.help if draft is not None and draft.help else recognised.explanation.help


def _is_left_behind(kept: ModuleAttribute, call: FailedCall) -> bool:
    """Whether the tensor of a module is on the host, but most of the outermost module is not."""
    if call.module is None or kept.device is None:
        return False
    return is_host(kept.device) and not is_host(call.module.device)
