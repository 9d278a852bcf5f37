"""Whole programs under `devlint run`, on CUDA and on simulated devices: what is found where."""

from __future__ import annotations

import io
import json
import os
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

import devlint
from tests.benchmarks.programs import catalogue
from tests.benchmarks.programs.fetch import DRIVERS
from tests.benchmarks.programs.trial import RAISED, SETTINGS, STARTUP
from tests.cuda.record.ground import Ground
from tests.cuda.record.part import SIMULATED, Fields, Observer, Part
from tests.markdown import Case, cases_in

_ROOT = Path(__file__).parents[3]
_EXAMPLES = "docs/examples"
_OBSERVED = "tests/runtime/observed"
_NEED_TWO_DEVICES = ("two_gpus", "ordinal_good")
_PATIENCE = 100.0


def subjects() -> list[str]:
    """What can be run here: the examples, the cases of what a run observes, drivers around packages."""
    examples = sorted(
        path.relative_to(_ROOT).as_posix()
        for path in _ROOT.joinpath(_EXAMPLES).glob("*.py")
        if not path.stem.startswith(_NEED_TWO_DEVICES)
    )
    drivers = [
        program.name
        for program in catalogue.read().programs
        if program.is_driver and find_spec(program.source.replace("-", "_")) is not None
    ]
    return [*examples, *_cases(), *drivers]


@cache
def _cases() -> dict[str, Case]:
    """The cases that raise nothing, by file and title: torch goes on after none that clashes."""
    files = [_ROOT / _OBSERVED / name for name in ("waits.md", "transfers.md")]
    return {f"{path.name}: {case.name}": case for path in files for case in cases_in(path)}


def _found(subject: str, devices: AbstractContextManager[Any], options: Sequence[str]) -> list[Fields]:
    if subject.startswith(_EXAMPLES):
        return [_found_in_file(_ROOT / subject, devices)]
    if subject not in _cases():
        return [_found_in_program(subject, options)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.py"
        path.write_text(_cases()[subject].text, "utf-8")
        return [_found_in_file(path, devices)]


def _found_in_file(path: Path, devices: AbstractContextManager[Any]) -> Fields:
    """What a guard finds in a small program, which may set the environment for itself alone."""
    started = perf_counter()
    ended = "0"
    before = dict(os.environ)
    with devices, devlint.guard() as guard, redirect_stdout(io.StringIO()):
        try:
            runpy.run_path(str(path), run_name="__main__")
        except Exception as error:  # what a program raises
            ended = f"{type(error).__name__}: {error}".partition("\n")[0]
        finally:
            os.environ.clear()
            os.environ.update(before)
    listed = [
        [finding.code, path.name, finding.site.line, finding.site.column, *_measured(finding.observed)]
        for finding in guard.findings
    ]
    return ended, f"{perf_counter() - started:.1f}", _listed(listed)


def _measured(observed: Any) -> tuple[int, float | None]:
    return (observed.count, observed.seconds) if observed else (0, None)


def _found_in_program(subject: str, options: Sequence[str]) -> Fields:
    """What `devlint run` reports of a program, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = ["-m", "devlint", "run", *options, "--output-format", "json", "-o", str(report)]
        settings = {key: value for key, value in SETTINGS.items() if key != "CUDA_VISIBLE_DEVICES"}
        packages = os.pathsep.join((str(STARTUP), str(_ROOT)))
        started = perf_counter()
        done = subprocess.run(
            [sys.executable, *command, *_script(subject)],
            cwd=folder,
            env={**os.environ, **settings, "PYTHONPATH": packages},
            capture_output=True,
            text=True,
            check=False,
            timeout=_PATIENCE - 5,
        )
        seconds = perf_counter() - started
        findings = json.loads(report.read_text("utf-8")) if report.exists() else []
    raised = RAISED.findall(done.stderr)
    ended = raised[-1] if raised else str(done.returncode)
    listed = [
        [
            finding["code"],
            "/".join(Path(finding["filename"]).parts[-3:]),
            finding["location"]["row"],
            finding["location"]["column"],
            finding["observed"]["count"],
            finding["observed"].get("seconds"),
        ]
        for finding in findings
    ]
    return ended, f"{seconds:.1f}", _listed(listed)


def _script(subject: str) -> list[str]:
    (program,) = catalogue.read().choose([subject])
    script, *arguments = program.command
    return [str(DRIVERS / script), *arguments]


def _listed(findings: Iterable[list[Any]]) -> str:
    return json.dumps(sorted(findings, key=lambda finding: (finding[1:4], finding[0])))


def _found_on_cuda(subject: str) -> list[Fields]:
    return _found(subject, nullcontext(), ())


def _found_on_simulated_devices(subject: str) -> list[Fields]:
    return _found(subject, devlint.simulate("cuda"), ("--simulate", "cuda"))


def _subjects(observer: Observer, ground: Ground) -> Sequence[str]:  # noqa: ARG001 (as any part's)
    return subjects()


PART = Part(
    name="programs",
    shows="what `devlint run` finds in whole programs, on CUDA and on simulated devices",
    columns=("ended", "seconds", "findings: code, file, line, column, times, seconds waited"),
    subjects=_subjects,
    observers=(
        Observer("devlint run", _found_on_cuda, workers=5, patience=_PATIENCE),
        Observer("simulated", _found_on_simulated_devices, SIMULATED, workers=8, patience=_PATIENCE),
    ),
    seconds=90,
)
