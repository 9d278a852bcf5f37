"""The files that `--report` asks for: a page, or a trace for viewers."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from devlint.cli.output import output, require_place
from devlint.project.configuration import ConfigurationError
from devlint.report.comparison import Comparison
from devlint.report.formats import PAGE, PROFILES, profile_renderer
from devlint.report.profile import Profile

_NEEDS = "--report: a page needs Jinja: python -m pip install 'devlint[report]'"


def require_reports(files: Sequence[str] | None, *, compares: bool = False) -> None:
    """Reject, before the work, files that could not be written. Comparisons can only be pages.

    Raises: ConfigurationError: if a name has no known suffix, its directory does not exist, or a library is
        missing.
    """
    for file in files or ():
        suffix = Path(file).suffix
        known = (PAGE,) if compares else tuple(PROFILES)
        if suffix not in known:
            raise ConfigurationError(f"--report: {file}: does not end in {' or '.join(known)}")
        require_place(file, "--report")
        if suffix == PAGE and find_spec("jinja2") is None:
            raise ConfigurationError(_NEEDS)


def write_reports(profile: Profile, files: Sequence[Path]) -> None:
    """Write each file in the format of its suffix.

    Raises:
        OutputError: if a file cannot be written.
    """
    for file in files:
        with output(str(file), sys.stdout, "--report") as out:
            profile_renderer(file.suffix)(profile, out)


def write_comparison(comparison: Comparison, files: Sequence[Path]) -> None:
    """Write the page of a comparison.

    Raises:
        OutputError: if a file cannot be written.
    """
    for file in files:
        from devlint.report.page import render_comparison  # noqa: PLC0415  # needs Jinja

        with output(str(file), sys.stdout, "--report") as out:
            render_comparison(comparison, out)
