"""Changes to source text, which rules request and the observer of the text computes."""

from __future__ import annotations

from enum import Enum

from devlint.model.site import SiteId
from devlint.model.value import ordered, value


class Applicability(Enum):
    """Who may apply a fix. The words are Ruff's."""

    SAFE = "safe"
    """Keeps the behavior exactly; `--fix` applies it."""
    UNSAFE = "unsafe"
    """May change the behavior (the random stream, an error into a copy); `--unsafe-fixes` applies it."""
    DISPLAY = "display"
    """Shown, never applied."""


class Action(Enum):
    """What to do at a site."""

    REPLACE = "replace"
    INSERT_BEFORE = "insert before"
    INSERT_AFTER = "insert after"
    APPEND_ARGUMENT = "append argument"
    """The site is a call: add an argument after its last one, with any commas and line breaks."""
    KEEP_RECEIVER = "keep receiver"
    """The site is a method call: keep only its receiver, with its parentheses (`(x).to(d)` becomes `(x)`).

    Everything from the end of the receiver to the end of the call is removed. `text` is empty. If that would
    remove a comment, there is no edit, and so no fix.
    """


@value
class EditRequest:
    """A change that a rule requests."""

    site: SiteId
    action: Action
    text: str = ""
    quoted: SiteId | None = None
    """An expression whose source text replaces the `{}` in `text`: `device={}`."""


@value
class FixRequest:
    """All changes of one fix, which are applied together or not at all."""

    message: str
    applicability: Applicability
    edits: tuple[EditRequest, ...]
    scope: SiteId | None = None
    """A site in the function in which the names of the edits' text are defined; the fix is dropped outside of
    it."""


@ordered
class Edit:
    """A computed change: the characters from `start` up to `end` of the decoded text become `content`."""

    start: int
    end: int
    content: str


@value
class Fix:
    """All edits of one fix, in order and without overlap."""

    message: str
    applicability: Applicability
    edits: tuple[Edit, ...]
