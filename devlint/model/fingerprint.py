"""The fingerprint, which identifies a finding after other lines of its file have changed."""

from __future__ import annotations

from typing import NamedTuple


class Fingerprint(NamedTuple):
    """A finding without its place: neither its line number nor the name of its function is part of it."""

    code: str
    text: str
    """The text of its lines, joined, with single blanks."""
    flow: str = ""
    """A hash of the lines that lead there, which distinguishes findings with the same code and text."""
