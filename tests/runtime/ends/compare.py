"""One script, run by Python and by `devlint run`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from devlint.runtime.trace import TraceError, read_trace
from tests import forks
from tests.cli.programs import ENVIRONMENT
from tests.forks import PATIENCE, Ended
from tests.runtime.ends.scripts import ENDS, Script

TRACE = "trace.jsonl"
OPTIONS: tuple[tuple[str, ...], ...] = ((), ("--simulate", "cuda", "--trace", TRACE))
_REPORTED = ("Nothing was found.", "Found ", "In all:", "No finding", "did not")


def run(where: Path) -> Ended | None:
    """Run the script by `python` to its end; None where it does not end."""
    try:
        done = subprocess.run(
            (sys.executable, "script.py"),
            cwd=where,
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    return Ended(done.returncode, done.stdout, done.stderr)


def observe(where: Path, options: Sequence[str]) -> Ended | None:
    """Run the script by `devlint run` to its end; None where it does not end."""
    with suppress(TimeoutError):
        return forks.run(("devlint", "run", *options, "script.py"), where, ENVIRONMENT, finalized=True)
    return None


def differences(script: Script, where: Path, ways: Sequence[tuple[str, ...]] = OPTIONS) -> Iterator[str]:
    """The differences under `devlint run`, one line each."""
    (where / "script.py").write_text(script.text)
    plain = run(where)
    if plain is None:
        yield "does not end by itself"
        return
    for options in ways:
        (where / TRACE).unlink(missing_ok=True)
        observed = observe(where, options)
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


def _ways_to_end(plain: Ended, observed: Ended, where: Path) -> list[_Told]:
    """The ways in which the script ends by itself, run again if they differ: a daemon thread may crash an
    interpreter that is ending."""
    known = [_told(plain)]
    while _told(observed) not in known and len(known) < _TRIES:
        again = run(where)
        known.append(_told(plain if again is None else again))
    return known


_Told = tuple[int, list[str]]
_TRIES = 5


def _told(done: Ended) -> _Told:
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
