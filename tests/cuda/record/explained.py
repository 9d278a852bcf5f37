"""Why devlint and a record disagree, where that is known and not to be mended: `explained.toml`."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

from tests.cuda.record.ground import Ground

TABLE = Path(__file__).with_suffix(".toml")


@dataclass(frozen=True, slots=True)
class Explanation:
    """A reason, and the disagreements that it is one for."""

    of: re.Pattern[str]
    """The titles of agreements, whole."""
    text: re.Pattern[str]
    """Some part of the disagreement's text."""
    grounds: frozenset[Ground]
    """What the record was made on."""
    why: str


@cache
def explanations() -> tuple[Explanation, ...]:
    """All that are known.

    Raises:
        ValueError: an entry names a ground that there is not.
        re.error: a pattern is none.
    """
    toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    entries = toml.loads(TABLE.read_text("utf-8"))["explanation"]
    return tuple(
        Explanation(
            re.compile(entry["of"]),
            re.compile(entry["text"]),
            frozenset(map(Ground, entry["on"])) if "on" in entry else frozenset(Ground),
            entry["why"],
        )
        for entry in entries
    )


def why(made_on: Ground, title: str, disagreement: str) -> str:
    """The reason for a disagreement; empty where none is known."""
    fitting = (
        each.why
        for each in explanations()
        if made_on in each.grounds and each.of.fullmatch(title) and each.text.search(disagreement)
    )
    return next(fitting, "")
