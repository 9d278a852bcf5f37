"""The findings of the command `devlint check`, of this checkout or of another one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.agreement.reading import findings
from tests.benchmarks.agreement.truth import Found

START = "import sys; sys.path.pop(0); from devlint.cli import start; sys.exit(start())"
"""The command that pip installs as `devlint`; it does not import from the working directory."""


def claims(root: Path, files: Sequence[str], devlint: Path, options: Sequence[str] = ()) -> tuple[Found, ...]:
    """The findings in files below a root, together, with default settings but for the options.

    If the command fails on some files, it says so on standard error, and the findings in the others count.
    """
    if not files:
        return ()
    command = [sys.executable, "-c", START, "check", "--isolated", "--no-cache", "--jobs=1"]
    done = subprocess.run(
        [*command, "--output-format=json", "--exit-zero", *options, "--", *files],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(devlint)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.stderr.write(f"devlint check fails in {root}: {done.stderr[:300]}\n")
    return findings(done.stdout, root)
