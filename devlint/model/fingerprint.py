"""What makes a finding the same one after other lines of its file have changed."""

from __future__ import annotations

from typing import NamedTuple


class Fingerprint(NamedTuple):
    """A finding without its place: neither the number of its line nor the name of its function counts."""

    code: str
    text: str
    """The lines that it is about, in one, with single blanks."""
    flow: str = ""
    """A hash of the lines that lead there. It tells findings apart whose code and text are the same."""
