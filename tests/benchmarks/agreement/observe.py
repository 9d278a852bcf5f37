"""Runs a program once on simulated CUDA and collects findings, events and executed lines."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from tests.benchmarks.agreement.reading import findings
from tests.benchmarks.agreement.store import Store
from tests.benchmarks.agreement.truth import Place, Seen, Truth
from tests.benchmarks.programs.catalogue import Program
from tests.benchmarks.programs.fetch import ROOT

STANDINS = Path(__file__).with_name("standins")
SECONDS = 20
"""Seconds of processor time after which a program is stopped, as if it had ended."""
PATIENCE = 900
"""Seconds after which a run that does not stop is given up."""
STEPS = 40
SETTINGS = {
    "CUDA_VISIBLE_DEVICES": "",
    "HF_HUB_OFFLINE": "1",
    "MPLBACKEND": "Agg",
    "OMP_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONWARNINGS": "ignore",
    "SDL_VIDEODRIVER": "dummy",
    "TQDM_DISABLE": "1",
    "WANDB_MODE": "disabled",
}
EVENTS = ("Synchronization", "Transfer", "Move", "Mismatch")


def observe(program: Program, store: Store, *, simulated: bool = True) -> Truth:
    """Run a program from a fresh start under `devlint run`, on simulated devices or on the machine's own.

    Raises:
        subprocess.CalledProcessError: what it needs could not be fetched or prepared.
    """
    store.prepare(program)
    root = store.checkout(program)
    with TemporaryDirectory() as temporary:
        report, trace, lines, optimizers = (
            Path(temporary) / name for name in ("report.json", "trace.jsonl", "lines.json", "optimizers.json")
        )
        options = ["--output-format", "json", "--output-file", str(report), "--trace", str(trace)]
        start = perf_counter()
        settings = {"PROGRAM_LINES": str(lines), "PROGRAM_OPTIMIZERS": str(optimizers)}
        ended = launch(program, store, options, settings, simulated=simulated)
        seconds = perf_counter() - start
        found = findings(report.read_text("utf-8"), root) if report.exists() else ()
        stepped = json.loads(optimizers.read_text("utf-8")) if optimizers.exists() else []
        steps, batches, seen = _gather(trace, root, stepped)
        counts = json.loads(lines.read_text("utf-8")) if lines.exists() else {}
    return Truth(
        ended,
        round(seconds, 1),
        steps,
        batches,
        found,
        tuple(seen),
        {os.path.relpath(path, root.resolve()): executed for path, executed in sorted(counts.items())},
    )


def environment(program: Program, store: Store) -> dict[str, str]:
    """The variables that a program is run with."""
    home = store.home(program)
    paths = [STANDINS, *(home / path for path in program.packages), ROOT]
    return {
        **os.environ,
        **SETTINGS,
        "PYTHONPATH": os.pathsep.join(str(path.absolute()) for path in paths),
        "PATH": os.pathsep.join((str(STANDINS / "bin"), os.environ["PATH"])),
        "PROGRAM_ROOT": str(store.checkout(program)),
        "PROGRAM_TESTS": str(store.directory / "tests" / f"{program.name}.txt"),
        "PROGRAM_STEPS": str(program.steps or STEPS),
        "PROGRAM_SECONDS": str(SECONDS),
        **program.settings,
    }


def prepare(program: Program, store: Store) -> None:
    """Run what has to be run before a program.

    Raises:
        subprocess.CalledProcessError: it failed.
    """
    if program.prepare:
        command = [str(store.python.absolute()), *program.prepare]
        variables = environment(program, store)
        subprocess.run(command, cwd=store.home(program), env=variables, check=True, capture_output=True)


def launch(
    program: Program,
    store: Store,
    options: Sequence[str],
    settings: dict[str, str],
    *,
    simulated: bool = True,
) -> str:
    """Run a program in its present state, on simulated devices or the machine's own.

    Returns how it failed, or nothing.
    """
    prepare(program, store)
    variables = {**environment(program, store), **settings}
    if not simulated:
        del variables["CUDA_VISIBLE_DEVICES"]
    patience = max(PATIENCE, 2 * float(variables["PROGRAM_SECONDS"]))
    try:
        done = subprocess.run(
            [
                str(store.python.absolute()),
                "-m",
                "devlint",
                "run",
                *(["--simulate", "cuda"] if simulated else []),
                "--third-party",
                "--isolated",
                *(["--mismatch", "log"] if "PROGRAM_GOES_ON" in variables else []),
                *options,
                *program.command,
            ],
            cwd=store.home(program),
            env=variables,
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            check=False,
            timeout=patience,
        )
    except subprocess.TimeoutExpired:
        return f"given up after {patience:.0f} s"
    if done.returncode == 0:
        return ""
    said = done.stderr.strip() or done.stdout.strip()
    return "\n".join(said.splitlines()[-12:]) or f"exit code {done.returncode}"


def _gather(trace: Path, root: Path, stepped: Sequence[int]) -> tuple[int, int, Iterator[Seen]]:
    """How many steps and batches there were, and each kind of event at each place of the program's files.

    `stepped` are the optimizers that have made the steps.
    """
    known = places(trace, root)
    times: dict[tuple[str, Place], list[tuple[int, int, bool, bool]]] = defaultdict(list)
    steps = batches = 0
    for row in _rows(trace):
        if "event" in row and "counted" not in row:  # what other processes counted has no place in time
            steps, batches = max(steps, row["step"]), max(batches, row["batch"])
            event = row["event"]
            place = known.get(event.get("site", -1))
            if place is not None and event["is"] in EVENTS:
                already = bool(event.get("waited_already"))
                times[event["is"], place].append((row["step"], row["batch"], already, row["forward"]))
    all_steps = [*stepped, *[0] * (steps - len(stepped))]  # a program that is killed has noted none
    return steps, batches, (_seen(*at, happened, all_steps) for at, happened in times.items())


def places(trace: Path, root: Path) -> dict[int, Place]:
    """The places in the program's files, by their numbers. What is in an installed package is at the line of
    the program that calls it, if there is only one."""
    found: dict[int, Place] = {}
    callers: dict[int, set[int]] = defaultdict(set)
    for row in _rows(trace):
        if "site" in row and (place := _place(row, root)) is not None:
            found[row["site"]] = place
        elif "called" in row:
            callers[row["called"]].add(row["from"])
    for site, leading in callers.items():
        line = min(leading)
        if len(leading) == 1 and line in found:
            found.setdefault(site, found[line])
    return found


def _rows(trace: Path) -> Iterator[dict[str, Any]]:
    if not trace.exists():
        return
    with trace.open(encoding="utf-8") as file:
        for line in file:
            if line.endswith("}\n"):  # a run that was killed leaves half a line
                yield json.loads(line)


def _place(row: dict[str, Any], root: Path) -> Place | None:
    path = Path(row["path"])
    if not path.is_relative_to(root):
        return None
    return Place(str(path.relative_to(root)), row["line"], row["end_line"] or row["line"])


def _seen(
    kind: str, place: Place, happened: Sequence[tuple[int, int, bool, bool]], stepped: Sequence[int]
) -> Seen:
    if happened[-1][1] > happened[0][1]:
        gaps = [later - earlier for (_, earlier, *_), (_, later, *_) in pairwise(happened)]
    else:
        gaps = [turns(stepped[earlier:later]) for (earlier, *_), (later, *_) in pairwise(happened)]
    already = sum(times[2] for times in happened)
    return Seen(
        kind, place, len(happened), already, median(gaps) if gaps else None, any(t[3] for t in happened)
    )


def turns(stepped: Sequence[int]) -> int:
    """How often a loop has trained with these steps: each of its turns may step several optimizers."""
    return max(Counter(stepped).values(), default=0)
