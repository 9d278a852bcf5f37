"""What `devlint check` says of files: the command as users start it, of this checkout or of another one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.agreement.reading import findings
from tests.benchmarks.agreement.truth import Found

START = "import sys; sys.path.pop(0); from devlint.cli import start; sys.exit(start())"
"""What pip installs as `devlint`; the directory it is started in is no place to import from."""


def claims(root: Path, files: Sequence[str], devlint: Path, options: Sequence[str] = ()) -> tuple[Found, ...]:
    """The findings in files below a root, together, with default settings but for the options.

    Where the command fails on some files, which is said on standard error, what it says of the others counts.
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
