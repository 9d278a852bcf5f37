"""The note that an error about devices is given: what clashes, how it came to be there, and the way out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

from devlint.model import (
    UNKNOWN,
    Certainty,
    Concrete,
    Draft,
    Kind,
    Operand,
    Operation,
    OriginStep,
    Registration,
    RegistrationKind,
    SiteId,
    Step,
)
from devlint.rules import registry, wording
from devlint.rules.base import Rule
from devlint.rules.engine import judge
from devlint.runtime.explain.call import Call, surroundings
from devlint.runtime.explain.kinds import ErrorKind
from devlint.runtime.explain.modules import Kept, ModuleFacts
from devlint.runtime.explain.texts import Recognised, recognise
from devlint.runtime.sites import NOWHERE_SITE, Sites

PREFIX = "devlint: "
MAX_NAMES = 4
"""Of a longer list of parameters this many are named and the rest counted."""
MAX_LINES = 8
"""Operands of a longer list that agree with the rest are left out."""

_ABOUT_MODULES = frozenset(
    {
        ErrorKind.OPERANDS,
        ErrorKind.MODULE_INPUT,
        ErrorKind.INDEX,
        ErrorKind.REPLICAS,
        ErrorKind.META,
        ErrorKind.DEVICE_CONSUMER,
        ErrorKind.GRADIENT,
    }
)
"""Kinds of errors of which the devices of a module's parameters can be the cause."""


def note(error: BaseException, call: Call | None, sites: Sites) -> str | None:
    """What can be said of an error; None where it is not about devices, and where devlint itself fails.

    Without a call, the text, the place and the modules are all that is known.
    """
    try:
        recognised = recognise(_text(error))
        if recognised is None:
            return None
        known = call or surroundings(error, sites)
        return "\n".join(_lines(recognised, known, sites))
    except Exception:
        return None


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


def _text(error: BaseException) -> str:
    """The error's text, without asking its class, whose `__str__` may do anything."""
    return "\n".join(argument for argument in error.args if isinstance(argument, str))


def _lines(recognised: Recognised, call: Call | None, sites: Sites) -> Iterator[str]:
    draft = None if call is None else _draft(recognised, call)
    yield PREFIX + _headline(recognised, call, draft)
    if call is not None and draft is None and call.expression:
        yield f"  at {_place(call.site, sites)}: {wording.code(call.expression)}"
    for operand, kept in _operands(call, draft):
        yield from _history(operand, kept, sites)
    if call is not None and call.module is not None and recognised.kind in _ABOUT_MODULES:
        yield from _about_module(call.module)
    yield f"  = help: {_way_out(recognised, call, draft)}"


def _draft(recognised: Recognised, call: Call) -> Draft | None:
    """What the rules say of the call; the program's own call of a module is asked about first."""
    for event in _events(call):
        drafts = judge([event], _rules())
        wanted = [draft for draft in drafts if draft.code == recognised.explanation.code]
        if drafts:
            return (wanted or drafts)[0]
    return None


def _events(call: Call) -> Iterator[Operation | Registration]:
    if call.container is not None:
        kept = call.container
        operand = Operand(kept.path, call.site, UNKNOWN, Kind.CONTAINER)
        yield Registration(
            call.site, None, Certainty.SEEN, kept.owner_class, kept.attribute, kept.kind, operand
        )
    for each in (call.around, call):
        if each is not None and each.operands:
            yield Operation(each.site, None, Certainty.SEEN, each.operator, each.operands)


def _rules() -> list[Rule[Any]]:
    """The rules of family DL1 that are on by default."""
    return [rule for rule in registry.all_rules() if rule.code.startswith("DL1") and rule.enabled]


def _headline(recognised: Recognised, call: Call | None, draft: Draft | None) -> str:
    if draft is not None:
        return f"{draft.code} {draft.message}"
    said = recognised.explanation
    parts = [f"{said.code} {said.says}".strip()]
    tensors = [] if call is None else [operand for operand in call.operands if operand.device != UNKNOWN]
    if len({operand.device for operand in tensors}) > 1:
        assert call is not None
        parts.append(f"in {wording.operator(call.operator)}: {wording.whereabouts(tensors[:MAX_LINES])}")
        return " ".join(parts)
    particulars = _particulars(recognised)
    return f"{parts[0]}: {particulars}" if particulars else parts[0]


def _particulars(recognised: Recognised) -> str:
    """What the text itself says, in devlint's order: what is where, and where it should be."""
    device, other, detail = recognised.device, recognised.other, recognised.detail
    match recognised.kind:
        case ErrorKind.DEVICE_STRING | ErrorKind.CHECKPOINT if detail and not device:
            said = wording.code(detail)
        case ErrorKind.ORDINAL | ErrorKind.CHECKPOINT if detail:
            said = f"{device or 'ordinal'} {detail}, and there {_are(recognised.count)}"
        case ErrorKind.ASYNCHRONOUS:
            said = detail
        case _ if recognised.argument and device:
            said = f"torch's `{recognised.argument}` is on {device}" + (f", not {other}" if other else "")
        case _ if device and other:
            said = f"{device} and {other}"
        case _:
            said = device or other
    if recognised.kernel:
        said = f"{said}, in `{recognised.kernel}`" if said else f"in `{recognised.kernel}`"
    if recognised.worker:
        said = f"{said} ({recognised.worker})" if said else recognised.worker
    return said


def _are(count: str) -> str:
    return "is 1 device" if count == "1" else f"are {count or 'fewer'} devices"


def _operands(call: Call | None, draft: Draft | None) -> list[tuple[Operand, Kept | None]]:
    """The operands to tell about: of the module call, if that is what the rules speak of."""
    if call is None:
        return []
    told = call.around if call.around is not None and _is_about(draft, call.around) else call
    pairs = list(zip_longest(told.operands, told.kept[: len(told.operands)]))
    tensors = [(operand, kept) for operand, kept in pairs if operand.kind in (Kind.TENSOR, Kind.MODULE)]
    if len(tensors) <= MAX_LINES:
        return tensors
    first: dict[Any, tuple[Operand, Kept | None]] = {}
    for operand, kept in tensors:
        first.setdefault(operand.device, (operand, kept))
    return list(first.values())


def _is_about(draft: Draft | None, call: Call) -> bool:
    return draft is not None and any(operand.path in draft.message for operand in call.operands)


def _history(operand: Operand, kept: Kept | None, sites: Sites) -> Iterator[str]:
    if operand.device == UNKNOWN:
        return
    happened = [_happened(step, sites) for step in _telling(operand.origin.steps)]
    where = wording.is_on(operand)
    yield f"  {where}: {', '.join(happened)}" if happened else f"  {where}"
    if kept is not None:
        yield f"    {_keeping(operand, kept)}"


def _telling(steps: Sequence[OriginStep]) -> Sequence[OriginStep]:
    """Where it was made and where it was last moved."""
    made = next((step for step in steps if step.step is Step.MADE), None)
    moved = next((step for step in reversed(steps) if step.step is Step.MOVED), None)
    return [step for step in (made, moved) if step is not None]


def _happened(step: OriginStep, sites: Sites) -> str:
    by = wording.operator(step.operator)
    what = f"made on {step.device}" if step.step is Step.MADE else f"moved to {step.device}"
    default = ", without `device=`" if step.step is Step.MADE and step.implicit else ""
    at = "" if step.site == NOWHERE_SITE else f" at {_place(step.site, sites)}"
    return f"{what} by {by}{default}{at}"


def _keeping(operand: Operand, kept: Kept) -> str:
    who = wording.code(kept.attribute)
    whose = f"of {wording.code(kept.owner)} ({wording.code(kept.owner_class)})"
    match kept.kind:
        case RegistrationKind.PLAIN_TENSOR:
            said = f"it is {who} {whose}, neither parameter nor buffer: `.to()` does not reach it"
        case RegistrationKind.PARAMETER | RegistrationKind.BUFFER if kept.reached:
            said = f"it is {kept.kind.value} {who} {whose}"
        case _:
            said = f"it is {kept.kind.value} {who} {whose}, a module that is not registered"
    return said if kept.device == operand.device else f"{said} (now on {kept.device})"


def _place(site: SiteId, sites: Sites) -> str:
    if site == NOWHERE_SITE:
        return "an unknown place"
    found = sites.site(site)
    return f"{found.path}:{found.line}:{found.column}"


def _about_module(module: ModuleFacts) -> Iterator[str]:
    name = wording.code(module.name)
    if module.elsewhere:
        yield f"  {name} is half moved: {_count(module)} on {module.device}; {_by_device(module.elsewhere)}"
    else:
        yield f"  the {_count(module)} of {name} are on {module.device}"
    if module.unreached:
        yield f"  `.to()` does not reach {_by_device(module.unreached)}: neither parameters nor buffers"
    for container in module.containers:
        yield f"  `.to()` does not reach the modules in {wording.code(container.path)}, a plain container"


def _count(module: ModuleFacts) -> str:
    counts = ((module.parameters, "parameter"), (module.buffers, "buffer"))
    return " and ".join(f"{count} {name}{'s' * (count != 1)}" for count, name in counts if count)


def _by_device(kept: Iterable[Kept]) -> str:
    """`head.weight`, `head.bias` on cpu; `scale` on cuda:1."""
    by_device: dict[Concrete | None, list[str]] = {}
    for each in kept:
        by_device.setdefault(each.device, []).append(each.path)
    return "; ".join(f"{_names(paths)} on {device}" for device, paths in by_device.items())


def _names(paths: Sequence[str]) -> str:
    named = ", ".join(wording.code(path) for path in paths[:MAX_NAMES])
    more = len(paths) - MAX_NAMES
    return f"{named} and {more} more" if more > 0 else named


def _way_out(recognised: Recognised, call: Call | None, draft: Draft | None) -> str:
    """The rules' help, but for a half-moved module, which is moved as a whole."""
    if call is not None and call.module is not None and _is_half_moved(call, call.module):
        return f"move the whole module before it is used: `{call.module.name}.to({call.module.device})`"
    if draft is not None and draft.help:
        return draft.help
    return recognised.explanation.help


def _is_half_moved(call: Call, module: ModuleFacts) -> bool:
    """Whether one of the operands is a parameter or buffer that was left behind."""
    return any(kept is not None and kept in module.elsewhere for kept in call.kept)
