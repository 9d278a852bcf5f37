"""Changes to source text, asked for by rules and worked out by the observer that read the text."""

from __future__ import annotations

from enum import Enum

from devlint.model.site import SiteId
from devlint.model.value import ordered, value


class Applicability(Enum):
    """Who may apply a fix. The words are Ruff's."""

    SAFE = "safe"
    """Keeps behaviour to the bit; `--fix` applies it."""
    UNSAFE = "unsafe"
    """May change behaviour (the random stream, an error into a copy); `--unsafe-fixes` applies it."""
    DISPLAY = "display"
    """Shown, never applied."""


class Action(Enum):
    """What to do at a site."""

    REPLACE = "replace"
    INSERT_BEFORE = "insert before"
    INSERT_AFTER = "insert after"
    APPEND_ARGUMENT = "append argument"
    """The site is a call: add an argument behind its last one, whatever its commas and line breaks."""
    KEEP_RECEIVER = "keep receiver"
    """The site is a method call: only its receiver stays, with its parentheses (`(x).to(d)` becomes `(x)`).

    Everything from the end of the receiver to the end of the call goes. `text` is empty. Where a comment
    would go with it there is no edit, and so no fix.
    """


@value
class EditRequest:
    """A change as a rule asks for it."""

    site: SiteId
    action: Action
    text: str = ""
    quoted: SiteId | None = None
    """An expression whose own source text stands for the `{}` in `text`: `device={}`."""


@value
class FixRequest:
    """All changes of one fix, which are applied together or not at all."""

    message: str
    applicability: Applicability
    edits: tuple[EditRequest, ...]
    scope: SiteId | None = None
    """A site in the function that the names in the edits' text belong to; outside it the fix is left out."""


@ordered
class Edit:
    """A change worked out: characters from `start` up to `end` of the decoded text become `content`."""

    start: int
    end: int
    content: str


@value
class Fix:
    """All edits of one fix, in order and without overlap."""

    message: str
    applicability: Applicability
    edits: tuple[Edit, ...]
