"""Controls a process that has imported torch and forks for each program: imports dominate short runs."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from tests.benchmarks.agreement.observe import SETTINGS, STANDINS
from tests.benchmarks.programs.fetch import ROOT

LAUNCHER = Path(__file__).with_name("launcher.py")


class Forks:
    """Runs programs one after the other."""

    def __init__(self, python: Path) -> None:
        paths = os.pathsep.join((str(STANDINS), str(ROOT)))
        settings = {**os.environ, **SETTINGS, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": paths}
        settings.pop("PROGRAM_ROOT", None)
        self._process = subprocess.Popen(
            [str(python), str(LAUNCHER)],
            env=settings,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def __enter__(self) -> Forks:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()

    def run(
        self,
        arguments: Sequence[str],
        *,
        directory: Path,
        settings: dict[str, str],
        paths: Sequence[Path],
        errors: Path,
        patience: float,
    ) -> int | None:
        """Run `devlint` with these arguments; its standard error goes to a file. Returns its exit code.

        None means that it was given up after so many seconds.

        Raises:
            RuntimeError: the launcher has ended.
        """
        job = {
            "arguments": list(arguments),
            "directory": str(directory),
            "settings": settings,
            "paths": [str(path) for path in paths],
            "errors": str(errors),
            "patience": patience,
        }
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError("the launcher has ended")
        code: int | None = json.loads(answer)
        return code
