"""Compares what a record has of CUDA with what devlint says: `python -m tests.cuda.record.agreement DIR`.

The host waits where torch's debug mode, its GPU trace or the busy device has seen it: each misses some.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from devlint.operators import SyncWhen, find
from tests.cuda.record.cost import WAITING_TIMES
from tests.cuda.record.explained import why
from tests.cuda.record.files import Contents, read
from tests.cuda.record.observed import HEARS_ALL, HIDDEN, PLAIN
from tests.cuda.record.snippets import by_name
from tests.cuda.record.waits import GOES_ON, WAITS
from tools.operators.refusals import ABSENT, REFUSED, UNTESTED

_SEEING = ("debug mode", "GPU trace", "busy device")
_PROGRAM = ("<string>:", "synchronizations.py:")
_TOLD = (WAITS, GOES_ON)
_MISSING_DEVICE = ("NameError", "invalid device ordinal", "device_count")
"""What a machine with one GPU says of a second one."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two tell the same."""

    title: str
    compared: int
    disagreements: tuple[str, ...]

    @property
    def share(self) -> float:
        """The part of what was compared that agrees; 1 where nothing was."""
        return 1 - len(self.disagreements) / self.compared if self.compared else 1.0

    def __str__(self) -> str:
        agreeing = self.compared - len(self.disagreements)
        return f"{self.title}: {agreeing} of {self.compared} agree ({self.share:.2%})"


def _agreement(title: str, compared: Iterable[tuple[bool, str]]) -> Agreement:
    """From pairs of whether it agrees, and what to say if not."""
    listed = list(compared)
    return Agreement(title, len(listed), tuple(text for agrees, text in listed if not agrees))


def snippets(contents: Contents) -> list[Agreement]:
    """The table of snippets, and what sees waits, with what the snippets do."""
    letters = {
        observer: {name: rows[0][0] for name, rows in contents.seen(observer).items()}
        for observer in (*_SEEING, "simulated", PLAIN, *HIDDEN)
    }
    names = dict.fromkeys(name for observer in _SEEING for name in letters[observer])
    truth = {
        name: _truth({observer: letters[observer].get(name, "") for observer in letters}) for name in names
    }
    claimed = {
        name: WAITS if snippet.waits else GOES_ON for name, snippet in by_name().items() if not snippet.raises
    }
    agreements = [
        _agreement(
            f"snippets, {observer}",
            (
                (said[name] == letter, f"{name}: torch {letter}, said {said[name]}")
                for name, letter in truth.items()
                if letter in _TOLD and said.get(name) in _TOLD
            ),
        )
        for observer, said in {"the table of snippets": claimed, **letters}.items()
    ]
    return [*agreements, _places(contents)]


def _places(contents: Contents) -> Agreement:
    """Where the GPU trace sees a wait, whether devlint, told by it, names the snippet's line."""
    traced, told = contents.seen("GPU trace"), contents.seen(HEARS_ALL)
    return _agreement(
        "snippets, waits at the program's lines",
        (
            (_is_placed(told[name][0]), f"{name}: {told[name][0][1]}")
            for name, rows in traced.items()
            if rows[0][0] == WAITS and name in told
        ),
    )


def _is_placed(row: tuple[str, ...]) -> bool:
    """Whether each wait of a snippet is said to be in it, or in what it is given."""
    return row[0] == WAITS and all(place.startswith(_PROGRAM) for *_, place in json.loads(row[1]))


def operators(contents: Contents) -> list[Agreement]:
    """Waits in calls of the operator database: on simulated devices, and in rows that say never or always."""
    seen = {name: _calls(contents, name) for name in (*_SEEING, "simulated")}
    calls = dict.fromkeys(call for name in _SEEING for call in seen[name])
    truth = {call: _truth({name: seen[name].get(call, "") for name in seen}) for call in calls}
    truth = {call: letter for call, letter in truth.items() if letter in _TOLD}
    simulated = (
        (seen["simulated"][call] == letter, f"{call}: torch {letter}, simulated {seen['simulated'][call]}")
        for call, letter in truth.items()
        if seen["simulated"].get(call) in _TOLD
    )
    rows = (verdict for call, letter in truth.items() if (verdict := _by_row(call, letter)) is not None)
    return [_agreement("operators, simulated", simulated), _agreement("operators, the table's rows", rows)]


Call = tuple[str, str, str, int]
"""Operator, fingerprint of its calls, pass, and which call."""


def _calls(contents: Contents, observer: str) -> dict[Call, str]:
    return {
        (name, fingerprint, which, place): letter
        for name, rows in contents.seen(observer).items()
        for fingerprint, which, letters in rows
        for place, letter in enumerate(letters)
    }


def _truth(letters: dict[str, str]) -> str:
    """Whether the host waited, as far as anything has seen it."""
    seen = {letters[name] for name in _SEEING}
    return next((letter for letter in _TOLD if letter in seen), "")


def _by_row(call: Call, letter: str) -> tuple[bool, str] | None:
    """A call judged by the table's row; None where that has no row, or one with conditions."""
    name, _, which, place = call
    row = find(f"torch.{name.partition(':')[0]}")
    if row is None or which != "forward":
        return None
    conditions = {sync.when for sync in row.syncs} - {SyncWhen.BACKWARD_ONLY}
    if conditions - {SyncWhen.ALWAYS}:
        return None
    expected = WAITS if conditions else GOES_ON
    return expected == letter, f"{name} #{place}: torch {letter}, the row of torch.{name} says {expected}"


def device_rules(contents: Contents) -> list[Agreement]:
    """Whether simulated devices raise where CUDA raises, and have results where CUDA has them."""
    torch, simulated = contents.seen("torch"), contents.seen("simulated")
    pairs = (
        (name, torch[name][0], simulated[name][0])
        for name in torch
        if name in simulated and torch[name][0][0] == simulated[name][0][0]
    )
    compared = (verdict for name, ours, theirs in pairs for verdict in _cells(name, ours[1], theirs[1]))
    return [_agreement("device rules, simulated", compared)]


def _cells(name: str, cuda: str, simulated: str) -> Iterator[tuple[bool, str]]:
    expected = dict(cell.split("=") for cell in cuda.split())
    said = dict(cell.split("=") for cell in simulated.split())
    for operand, letters in expected.items():
        for place, (real, ours) in enumerate(zip_longest(letters, said.get(operand, ""), fillvalue=ABSENT)):
            if {real, ours}.isdisjoint((UNTESTED, ABSENT)):
                agrees = real == ours or {real, ours} <= REFUSED
                yield agrees, f"{name} {operand} #{place}: torch {real}, simulated {ours}"


def error_texts(contents: Contents) -> list[Agreement]:
    """Whether what torch says is recognised and explained, and whether simulated devices say the same."""
    torch, simulated = contents.seen("torch"), contents.seen("simulated")
    raised = {
        statement: rows[0]
        for statement, rows in torch.items()
        if rows[0][0] != "nothing" and not any(word in " ".join(rows[0][:2]) for word in _MISSING_DEVICE)
    }
    return [
        _agreement(
            "error texts, recognised", ((bool(row[2]), f"{key}: {row[1]}") for key, row in raised.items())
        ),
        _agreement(
            "error texts, explained", ((bool(row[7]), f"{key}: {row[1]}") for key, row in raised.items())
        ),
        _agreement(
            "error texts, simulated",
            (
                (
                    row[2:7] == simulated[key][0][2:7],
                    f"{key}: torch {row[1]!r}, simulated {simulated[key][0][1]!r}",
                )
                for key, row in raised.items()
                if key in simulated
            ),
        ),
    ]


def programs(contents: Contents) -> list[Agreement]:
    """Findings in whole programs, site by site: those of either, and whether both have them."""
    real, simulated = contents.seen(PLAIN), contents.seen("simulated")
    pairs = ((name, _sites(real[name][0]), _sites(simulated[name][0])) for name in real if name in simulated)
    return [
        _agreement(
            "programs, findings",
            (
                (
                    site in ours and site in theirs,
                    f"{name}: {site}: {'CUDA' if site in ours else 'simulated'} alone",
                )
                for name, ours, theirs in pairs
                for site in sorted(ours | theirs)
            ),
        )
    ]


def _sites(row: tuple[str, ...]) -> set[tuple[str, int, str]]:
    return {(file, line, code) for code, file, line, *_ in json.loads(row[2])}


def cuda_tests(contents: Contents) -> list[Agreement]:
    """The tests that need CUDA: those that were not skipped, and whether they passed."""
    ended = (
        (test == "" or ended == "passed", f"{path} {test}: {ended} {message}")
        for path, rows in contents.seen("pytest").items()
        for test, ended, _, message in rows
        if ended != "skipped"
    )
    return [_agreement("tests on CUDA, passed", ended)]


def cost(contents: Contents) -> list[Agreement]:
    """Whether `devlint run` costs at most a twentieth on what was timed, and tells times as the profiler."""
    timed = ((name, float(rows[0][2])) for name, rows in contents.seen(PLAIN).items())
    waited = ((name, rows[0]) for name, rows in contents.seen(WAITING_TIMES).items())
    return [
        _agreement("cost, at most 1.05", ((ratio <= 1.05, f"{name}: {ratio:.3f}") for name, ratio in timed)),
        _agreement(
            "waiting times, within a fifth of the profiler's",
            (
                (0.8 <= float(ratio) <= 1.2, f"{name}: {said} ms a step, the profiler's {profiled} ms")
                for name, (profiled, said, ratio, *_) in waited
            ),
        ),
    ]


BY_PART: dict[str, Callable[[Contents], list[Agreement]]] = {
    "snippets": snippets,
    "device_rules": device_rules,
    "error_texts": error_texts,
    "cuda_tests": cuda_tests,
    "cost": cost,
    "operators": operators,
    "programs": programs,
}


def compared(folder: Path) -> Iterator[tuple[Contents, Agreement]]:
    """All that can be compared in the files of a record."""
    for name, compare in BY_PART.items():
        path = folder / f"{name}.tsv"
        if path.exists():
            contents = read(path)
            yield from ((contents, each) for each in compare(contents) if each.compared)


def unexplained(contents: Contents, agreement: Agreement) -> list[str]:
    """The disagreements that no reason is known for."""
    return [text for text in agreement.disagreements if not why(contents.ground, agreement.title, text)]


def summary(folder: Path) -> Iterator[str]:
    """What agrees in a record, and under it what does not: in full, or how often for which reason.

    Every line says what was recorded on.
    """
    for contents, agreement in compared(folder):
        label = contents.header["made on"]
        yield f"[{label}] {agreement}"
        yield from (f"[{label}]   {text}" for text in unexplained(contents, agreement))
        reasons = Counter(why(contents.ground, agreement.title, text) for text in agreement.disagreements)
        yield from (f"[{label}]   {count} explained: {reason}" for reason, count in reasons.items() if reason)


def main() -> None:
    """Prints the summary."""
    parser = argparse.ArgumentParser(prog="python -m tests.cuda.record.agreement", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder of a record")
    for line in summary(parser.parse_args().folder):
        sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main()
