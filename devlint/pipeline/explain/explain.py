"""From a pasted error to its explanation: recognize it, find the place, ask the source observer."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from devlint.errors import ErrorKind, Recognised, particulars, recognise
from devlint.errors.assertions import Assertion, assertion
from devlint.errors.pasted import PastedFrame, Raised, pasted
from devlint.errors.quoted import expression_at, fault, is_installed, own_frame
from devlint.errors.texts import MAX_TEXT
from devlint.model import Concrete, parse_device
from devlint.pipeline.explain.local_files import LocalFile, local_file
from devlint.pipeline.explain.scene import MOST_OPERANDS, Placed, Scene, scene
from devlint.pipeline.files.shown_path import shown_path
from devlint.report.explanation import Explanation
from devlint.rules import registry, wording

MAX_SIZE = 16 << 20
"""In bytes. Of a longer log, the end is read."""
MOST = 3
"""How many errors of one text are explained."""
MOST_FINDINGS = 3
_MISMATCHES = "DL1"
_LATE = (ErrorKind.ASYNCHRONOUS,)


class NoErrorError(Exception):
    """The text contains no error."""


class Explained(NamedTuple):
    """The explanations of a text."""

    explanations: tuple[Explanation, ...]
    others: int = 0
    """How many further errors about devices there are."""
    unrelated: str = ""
    """If no error is about devices, the first error."""


class _Known(NamedTuple):
    raised: Raised
    recognised: Recognised
    labels: tuple[str, ...]


def text_of(data: bytes) -> str:
    """A pasted text, decoded from any encoding in which a shell may write a file."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    return data[-MAX_SIZE:].decode("utf-8", "replace")


_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def explain(text: str, directory: Path) -> Explained:
    """Explain the errors in a text. Their files are searched below the directory; none is run.

    Raises: NoErrorError: if it contains no error.
    """
    found = pasted(text)
    printed = assertion(text)
    known = _alike(_recognised(found, text, printed))
    if known:
        said = tuple(_explained(each, printed, directory) for each in known[:MOST])
        return Explained(said, max(len(known) - MOST, 0))
    named = [each for each in found if each.type]
    if named:
        return Explained((), unrelated=_shown(named[-1]))
    if found:
        guessed = _guess(found[-1], directory)
        if guessed is not None:
            return Explained((guessed,))
        raise NoErrorError("the traceback is cut off before its error: paste its last line, too")
    raise NoErrorError("no error was found: paste a traceback, or the line that names the error")


def _recognised(
    found: Sequence[Raised], text: str, printed: Assertion | None
) -> Iterator[tuple[Raised, Recognised]]:
    """The errors about devices, one of each chain: the first, which caused the others."""
    chains: set[int] = set()
    for number, raised in enumerate(found):
        before = found[number - 1] if number and found[number - 1].chain == raised.chain else None
        known = _about_devices(raised, before)
        if known is not None and raised.chain not in chains:
            chains.add(raised.chain)
            yield raised, known
    if chains:
        return
    known = _somewhere(text)
    if known is None and printed is not None:
        known = Recognised(ErrorKind.ASYNCHRONOUS, detail="device-side assert triggered")
    if known is not None:
        last = found[-1] if found else Raised("", _line_of(text, known))
        yield last, known


def _about_devices(raised: Raised, before: Raised | None) -> Recognised | None:
    """The facts in the text of an error. The text of the error around it names the worker."""
    if not raised.type:
        return None
    first = raised.text.split("\n\n")[0]
    known = _read(first) or _read(raised.text)
    if known is None or before is None:
        return known
    outer = _read(f"{before.text}\n{raised.text}")
    return known if outer is None or not outer.worker else replace(known, worker=outer.worker)


def _read(text: str) -> Recognised | None:
    """The facts in a text, even if a terminal has wrapped its lines."""
    found = [known for each in (text, " ".join(text.split())) if (known := recognise(each)) is not None]
    return max(found, key=lambda known: bool(known.device) + bool(known.argument), default=None)


def _somewhere(text: str) -> Recognised | None:
    """The facts in a text without the name of an error."""
    step = MAX_TEXT // 2
    parts = (text[at : at + MAX_TEXT] for at in range(0, max(len(text), 1), step))
    return next((known for part in parts if (known := _read(part)) is not None), None)


def _line_of(text: str, known: Recognised) -> str:
    """The line of a text in which the error is recognized; else the first one."""
    lines = [line for line in text.splitlines() if line.strip()]
    return next((line for line in lines if recognise(line) == known), lines[0] if lines else "")


def _alike(known: Iterator[tuple[Raised, Recognised]]) -> list[_Known]:
    """The errors, with equal ones of several processes merged."""
    groups: dict[object, list[tuple[Raised, Recognised]]] = {}
    for raised, recognised in known:
        own = own_frame(raised.frames)
        place = None if own is None else (own.path, own.line)
        groups.setdefault((place, recognised.kind, recognised.argument), []).append((raised, recognised))
    return [
        _Known(*each[0], tuple(dict.fromkeys(raised.label for raised, _ in each if raised.label)))
        for each in groups.values()
    ]


def _explained(known: _Known, printed: Assertion | None, directory: Path) -> Explanation:
    raised, recognised, labels = known
    says, help_ = _sentences(recognised, printed)
    own = own_frame(raised.frames)
    late = recognised.kind in _LATE
    there = None if own is None else local_file(own, directory)
    seen = Scene() if there is None or late else _seen(there, raised.frames, recognised, directory)
    shown = seen.findings[:MOST_FINDINGS]
    return Explanation(
        error=_shown(raised),
        says=says,
        code=shown[0][0].code if shown else recognised.explanation.code,
        where="" if own is None else _where(own, there, directory),
        fault=_fault(raised, recognised, seen),
        help=help_,
        labels=labels,
        origins=() if shown else tuple(_origins(seen.operands)),
        findings=shown,
        remarks=tuple(_remarks(own, there, late=late)),
    )


def _sentences(recognised: Recognised, printed: Assertion | None) -> tuple[str, str]:
    """What happened, and the remedy."""
    explanation = recognised.explanation
    if recognised.kind is ErrorKind.ASYNCHRONOUS and printed is not None:
        condition = f"a kernel found that {wording.code(printed.condition)} does not hold"
        says = f"{printed.says}: {condition}" if printed.says else condition
        return says, printed.help or explanation.help
    more = particulars(recognised)
    return (f"{explanation.says}: {more}" if more else explanation.says), explanation.help


def _seen(
    place: LocalFile, frames: Sequence[PastedFrame], recognised: Recognised | None, directory: Path
) -> Scene:
    """The facts of the source observer about a place: in the program that was run, else in its own file."""
    programs = [there for each in frames if not is_installed(each) and (there := local_file(each, directory))]
    once = {each.path: each for each in [*programs, place]}
    first, *_ = once.values()
    return scene(place, list(dict.fromkeys([first, once[place.path]])), _codes(recognised), directory)


def _codes(recognised: Recognised | None) -> frozenset[str]:
    """The rules to apply: those of mismatches, and that of the error."""
    code = "" if recognised is None else recognised.explanation.code
    return frozenset(each for each in registry.codes() if each == code or each.startswith(_MISMATCHES))


def _where(own: PastedFrame, there: LocalFile | None, directory: Path) -> str:
    path = own.path if there is None else shown_path(there.path, directory)
    line = own.line if there is None else there.line
    where = f"{path}:{line}" if line else path
    inside = f", in `{own.function}`" if own.function and own.function != "<module>" else ""
    code = expression_at(own)
    return f"{where}{inside}: `{code}`" if code else f"{where}{inside}"


def _fault(raised: Raised, recognised: Recognised, seen: Scene) -> str:
    """The operand on the wrong device, by the program's name for it if known."""
    device = recognised.device
    if not recognised.argument and "cpu" in (device, recognised.other):
        device = "cpu"  # the text does not say which operand is wrong; most likely it is the one on the host
    by_text = fault(raised.frames, recognised.argument)
    if by_text:
        torchs = f" (torch's `{recognised.argument}`)" if by_text != f"`{recognised.argument}`" else ""
        return f"{by_text}{torchs}, on {device}" if device else f"{by_text}{torchs}"
    strays = [each.operand for each in seen.operands if _is_on(each, device)]
    names = list(dict.fromkeys(wording.named(each) for each in strays))
    return f"{names[0]}, on {device}" if len(names) == 1 else ""


def _is_on(placed: Placed, device: str) -> bool:
    """Whether an operand is on the device that the text calls wrong."""
    wanted = parse_device(device)
    there = placed.operand.device
    return wanted is not None and isinstance(there, Concrete) and there.type == wanted.type


def _origins(operands: Sequence[Placed]) -> Iterator[str]:
    told: dict[str, str] = {}
    for each in operands:
        if each.history:
            told.setdefault(each.operand.path, f"{wording.is_on(each.operand)}: {'; '.join(each.history)}")
    yield from list(told.values())[:MOST_OPERANDS]


def _remarks(own: PastedFrame | None, there: LocalFile | None, *, late: bool) -> Iterator[str]:
    if late and own is not None:
        yield "the error is reported at this line, but an earlier line started the work that failed"
    if own is not None and there is None and not own.path.startswith(("<", "In")):
        yield f"{own.path} was not found, or differs at this line: run devlint in the program's directory"
    if own is not None and there is not None and own.line and there.line != own.line:
        yield f"it was line {own.line} when the error was raised"


def _guess(raised: Raised, directory: Path) -> Explanation | None:
    """The findings of the source observer at the last frame of a traceback that is cut off before its
    error."""
    own = own_frame(raised.frames)
    there = None if own is None else local_file(own, directory)
    if own is None or there is None:
        return None
    seen = _seen(there, raised.frames, None, directory)
    if not seen.findings:
        return None
    return Explanation(
        error="(a traceback that is cut off before its error)",
        says="most likely what `devlint check` finds at its last line",
        code=seen.findings[0][0].code,
        where=_where(own, there, directory),
        findings=seen.findings[:MOST_FINDINGS],
    )


def _shown(raised: Raised) -> str:
    first = raised.text.strip().partition("\n")[0]
    return f"{raised.type}: {first}" if raised.type and first else raised.type or first
