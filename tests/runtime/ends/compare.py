"""One script, run by Python and by `devlint run`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from devlint.runtime.trace import TraceError, read_trace
from tests.cli.programs import ENVIRONMENT
from tests.runtime.ends.scripts import ENDS, Script

TRACE = "trace.jsonl"
OPTIONS: tuple[tuple[str, ...], ...] = ((), ("--simulate", "cuda", "--trace", TRACE))
PATIENCE = 120
"""Seconds after which a script counts as one that does not end."""
_REPORTED = ("Nothing was found.", "Found ", "In all:", "No finding", "did not")


class Done(NamedTuple):
    """How a process ended, and what it wrote."""

    code: int
    out: str
    err: str


def run(where: Path, *command: str) -> Done | None:
    """Run a command to its end; None where it does not end."""
    try:
        done = subprocess.run(
            command, cwd=where, env=ENVIRONMENT, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        return None
    return Done(done.returncode, done.stdout, done.stderr)


def differences(script: Script, where: Path, ways: Sequence[tuple[str, ...]] = OPTIONS) -> Iterator[str]:
    """What is otherwise under `devlint run`, a line each."""
    (where / "script.py").write_text(script.text)
    plain = run(where, sys.executable, "script.py")
    if plain is None:
        yield "does not end by itself"
        return
    for options in ways:
        (where / TRACE).unlink(missing_ok=True)
        observed = run(where, sys.executable, "-m", "devlint", "run", *options, "script.py")
        shown = " ".join(options) or "without options"
        if observed is None:
            yield f"{shown}: does not end"
            continue
        if _told(observed) not in _ways_to_end(plain, observed, where):
            yield f"{shown}: {_told(observed)}, not {_told(plain)}: {observed.err[-300:]}"
        if ENDS[script.end].reports and not any(words in observed.err for words in _REPORTED):
            yield f"{shown}: no report: {observed.err[-300:]}"
        if "devlint failed" in observed.err:
            yield f"{shown}: {observed.err[-300:]}"
        if TRACE in options:
            yield from _of_trace(where / TRACE, shown)


def _ways_to_end(plain: Done, observed: Done, where: Path) -> list[_Told]:
    """How the script ends by itself, tried again where it ended otherwise: a daemon thread may bring down an
    interpreter that ends."""
    known = [_told(plain)]
    while _told(observed) not in known and len(known) < _TRIES:
        again = run(where, sys.executable, "script.py")
        known.append(_told(plain if again is None else again))
    return known


_Told = tuple[int, list[str]]
_TRIES = 5


def _told(done: Done) -> _Told:
    """The exit code, and the lines of the output, which threads and processes may write in any order."""
    return done.code, sorted(done.out.splitlines())


def _of_trace(path: Path, shown: str) -> Iterator[str]:
    try:
        trace = read_trace(path)
    except TraceError as error:
        yield f"{shown}: {error}"
        return
    if not trace.tallies:
        yield f"{shown}: the trace holds no event"
