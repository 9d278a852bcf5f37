"""Plants one bug at a time into programs with stored runs, and runs each to find out whether it raises."""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain, zip_longest
from pathlib import Path

from tests.benchmarks.agreement.observe import STEPS, environment, prepare
from tests.benchmarks.agreement.store import Store
from tests.benchmarks.agreement.truth import Truth
from tests.benchmarks.planted.edits import Edit, edits
from tests.benchmarks.planted.forks import Forks
from tests.benchmarks.programs.catalogue import Program

SECONDS = 12
"""Seconds after which a changed program is stopped: a program that raises has raised by then."""
PATIENCE = 40
FRAME = re.compile(r'^  File "(?P<path>[^"]+)", line (?P<line>\d+)', re.MULTILINE)
TEXTS = re.compile(
    r"same device|at least two devices|device type tensor|Input type .* and weight type|indices should be"
    r"|device type for generator|on device|is on cpu|is on cuda|should be a 1D CPU|expected device"
)
"""torch's messages for a wrong device."""
RAISED = re.compile(r"^[A-Za-z_][\w.]*(?:Error|Exception): .*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Plant:
    """An edit of a program, and the result of its run."""

    program: str
    kind: str
    path: str
    line: int
    start: int
    """The first and the last byte of what is taken away."""
    end: int
    raised: str
    """The path and line, with a colon between, of the program that raised a device error; or empty."""
    error: str
    """The error; empty if the program runs to its end."""


def sites(truth: Truth, root: Path, program: str, limit: int) -> list[tuple[str, Edit]]:
    """At most so many edits on lines that were executed, of each kind in turn, chosen by a hash."""
    by_kind: dict[str, list[tuple[str, Edit]]] = defaultdict(list)
    for path, counts in truth.lines.items():
        source = (root / path).read_bytes()
        for edit in edits(source):
            if edit.line in counts:
                by_kind[edit.kind].append((path, edit))
    for chosen in by_kind.values():
        chosen.sort(key=lambda site: _hash(f"{program} {site[0]} {site[1].start} {site[1].end}"))
    in_turn = chain.from_iterable(zip_longest(*(by_kind[kind] for kind in sorted(by_kind))))
    return [site for site in in_turn if site is not None][:limit]


def plant(program: Program, store: Store, truth: Truth, limit: int, forks: Forks) -> Iterator[Plant]:
    """Take away one thing at a time, and run."""
    root = store.pristine(program.source)
    store.prepare(program)
    if attempt(program, store, forks) != ("", ""):
        return
    for path, edit in sites(truth, root, program.name, limit):
        store.prepare(program)
        target = store.checkout(program) / path
        target.write_bytes(edit.apply((root / path).read_bytes()))
        raised, error = attempt(program, store, forks)
        yield Plant(program.name, edit.kind, path, edit.line, edit.start, edit.end, raised, error)


def attempt(program: Program, store: Store, forks: Forks) -> tuple[str, str]:
    """The line where a program, in its present state, raises a device error, with the error; empty if it runs
    to its end."""
    prepare(program, store)
    errors = store.directory / "planted" / "errors.txt"
    errors.parent.mkdir(exist_ok=True)
    variables = environment(program, store)
    settings = {name: value for name, value in variables.items() if name.startswith("PROGRAM_")}
    settings |= {"PATH": variables["PATH"], "PROGRAM_SECONDS": str(SECONDS)} | program.settings
    settings["PROGRAM_STEPS"] = str(min(program.steps or STEPS, STEPS))
    errors.unlink(missing_ok=True)
    home = store.home(program)
    code = forks.run(
        ["run", "--simulate", "cuda", "--isolated", "--quiet", *program.command],
        directory=home,
        settings=settings,
        paths=[home / path for path in program.packages],
        errors=errors,
        patience=max(PATIENCE, 2 * float(settings["PROGRAM_SECONDS"])),
    )
    if code == 0:
        return "", ""
    return where(errors.read_text("utf-8", errors="replace"), store.checkout(program))


def where(printed: str, root: Path) -> tuple[str, str]:
    """The program's innermost line in the traceback of a device error, and the error; else no line."""
    _, _, traceback = printed.rpartition("Traceback (most recent call last):\n")
    error = RAISED.search(traceback)
    if error is None:
        return "", "given up"
    if not TEXTS.search(error[0]):
        return "", error[0][:200]
    own = [
        f"{(root / frame['path']).resolve().relative_to(root.resolve())}:{frame['line']}"
        for frame in FRAME.finditer(traceback[: error.start()])
        if (root / frame["path"]).resolve().is_relative_to(root.resolve())
    ]
    return own[-1] if own else "", error[0][:200]


def write(plants: Sequence[Plant], path: Path) -> None:
    """Keep them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([asdict(one) for one in plants], indent=1), "utf-8")


def read(path: Path) -> list[Plant]:
    """The stored results."""
    return [Plant(**row) for row in json.loads(path.read_text("utf-8"))]


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
