"""The note that an error about devices is given: what clashes, how it came to be there, and the way out."""

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
from devlint.runtime.explain.call import FailedCall, surroundings
from devlint.runtime.explain.events import judged
from devlint.runtime.explain.modules import Kept
from devlint.runtime.explain.optimizers import is_state
from devlint.runtime.explain.sentences import about_module, history, keeping
from devlint.runtime.places.sites import Sites

PREFIX = "devlint: "
MAX_OPERANDS = 5
"""Of more operands than this, one a device is told of."""

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
"""Kinds of errors that operands, and the modules that keep them, can explain."""


def note(error: BaseException, call: FailedCall | None, sites: Sites) -> str | None:
    """What can be said of an error; None where it is not about devices.

    Without a call, the text, the place and the modules are all that is known. An error that a worker process
    passed on has its note in its text.
    """
    text = text_of(error)
    recognised = None if f"\n{PREFIX}" in text else recognise(text)
    if recognised is None:
        return None
    return "\n".join(map(visible, _lines(recognised, call or surroundings(error, sites), sites)))


def attach(error: BaseException, text: str) -> None:
    """Add a note to an error, whose type and text stay. An error has one note of devlint's at most.

    Python 3.10 has no notes; there they are kept where 3.11 keeps them, and the launcher prints them.
    """
    if not is_explained(error):
        notes = vars(error).setdefault("__notes__", [])
        if isinstance(notes, list):
            notes.append(text)


def is_explained(error: BaseException) -> bool:
    """Whether an error has its note: the innermost call that raised it gave the best one."""
    notes = vars(error).get("__notes__")
    return isinstance(notes, list) and any(
        isinstance(each, str) and each.startswith(PREFIX) for each in notes
    )


def text_of(error: BaseException) -> str:
    """An error's text, without asking its class, whose `__str__` may do anything."""
    return "\n".join(argument for argument in error.args if isinstance(argument, str))


def _lines(recognised: Recognised, call: FailedCall | None, sites: Sites) -> Iterator[str]:
    if call is None:
        yield PREFIX + _by_the_text(recognised)
        yield f"  = help: {recognised.explanation.help}"
        return
    about_operands = recognised.kind in _ABOUT_OPERANDS
    said = judged(recognised.explanation.code, call, sites) if about_operands else None
    draft, told = (None, call) if said is None else (said.draft, said.call)
    yield PREFIX + (f"{draft.code} {draft.message}" if draft is not None else _by_the_call(recognised, call))
    if draft is None and call.expression:
        yield f"  at {call.place}: {wording.code(call.expression)}"
    operands = _operands(told) if about_operands else []
    for operand, kept in operands:
        yield f"  {history(operand, sites)}"
        if kept is not None:
            yield f"    {keeping(operand, kept)}"
        if operand.path in told.in_vain:
            yield "    it was moved, and the result was dropped: a move gives a new tensor"
    if about_operands and call.module is not None:
        yield from (f"  {line}" for line in about_module(call.module, unreached=not operands))
    yield f"  = help: {_way_out(recognised, call, told, draft)}"


def _by_the_text(recognised: Recognised) -> str:
    """What an error's text says by itself."""
    said = f"{recognised.explanation.code} {recognised.explanation.says}".strip()
    more = particulars(recognised)
    return f"{said}: {more}" if more else said


def _by_the_call(recognised: Recognised, call: FailedCall) -> str:
    """What is said where the operands do not prove to the rules what the text says."""
    known = [operand for operand in call.operands if operand.device != UNKNOWN]
    if recognised.kind not in _ABOUT_OPERANDS or len({operand.device for operand in known}) < 2:
        return _by_the_text(recognised)
    said = f"{recognised.explanation.code} {recognised.explanation.says}".strip()
    where = f" in {wording.operator(call.operator)}" if call.operator else ""
    return f"{said}{where}: {wording.whereabouts(_one_a_device(known))}"


def _operands(call: FailedCall) -> list[tuple[Operand, Kept | None]]:
    """The operands that have a place, each with where a module keeps it."""
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


def _way_out(recognised: Recognised, call: FailedCall, told: FailedCall, draft: Draft | None) -> str:
    """The rules' help, where nothing nearer the cause is known.

    That is a move whose result was dropped, an optimizer's state that did not come with the module, a module
    that is to be moved whole, a tensor that one has not registered.
    """
    if told.in_vain:
        path = min(told.in_vain)
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


def _is_left_behind(kept: Kept, call: FailedCall) -> bool:
    """Whether what a module keeps is on the host while most of the outermost module is not."""
    if call.module is None or kept.device is None:
        return False
    return is_host(kept.device) and not is_host(call.module.device)
