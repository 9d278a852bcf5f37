"""The table of output formats. A format's module is imported when it is used."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, TextIO, TypeAlias

from devlint.report.report import Report

if TYPE_CHECKING:
    from devlint.report.profile import Profile

Renderer: TypeAlias = Callable[[Report, TextIO], None]
"""Writes a report to a stream."""

FORMATS = {
    "concise": "devlint.report.concise",
    "full": "devlint.report.full",
    "json": "devlint.report.json_array",
    "json-lines": "devlint.report.json_lines",
    "github": "devlint.report.github",
    "gitlab": "devlint.report.gitlab",
    "azure": "devlint.report.azure",
    "junit": "devlint.report.junit",
    "sarif": "devlint.report.sarif",
    "rdjson": "devlint.report.rdjson",
}
"""Each format's name and the module whose `render` writes it."""


FOR_PROGRAMS = frozenset(FORMATS) - {"concise", "full"}
"""Formats for programs, which contain nothing but the findings."""


def renderer(name: str) -> Renderer:
    """The renderer of a format named in `FORMATS`.

    Raises:
        KeyError: if there is no such format.
    """
    render: Renderer = import_module(FORMATS[name]).render
    return render


PAGE = ".html"
PROFILES = {PAGE: "devlint.report.page", ".json": "devlint.report.chrome_trace"}
"""The formats of a run's profile: the suffix of the file, and the module whose `render` writes it."""


def profile_renderer(suffix: str) -> Callable[[Profile, TextIO], None]:
    """The renderer of a format named in `PROFILES`.

    Raises:
        KeyError: if there is no such format.
    """
    render: Callable[[Profile, TextIO], None] = import_module(PROFILES[suffix]).render
    return render
