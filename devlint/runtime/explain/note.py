"""The note that is added to an error about devices."""

from __future__ import annotations

from devlint.rules.engine import Locator
from devlint.runtime.explain.call import Call
from devlint.runtime.explain.texts import Recognised, recognise

PREFIX = "devlint: "


def note(error: BaseException, call: Call | None, sites: Locator) -> str | None:
    """What can be said of an error: None where it is not about devices, or where devlint itself fails."""
    try:
        recognised = recognise(_text(error))
        return None if recognised is None else _of_the_text(recognised)
    except Exception:
        return None


def attach(error: BaseException, text: str) -> None:
    """Add a note to an error, whose type and text stay. An error has one note of devlint's at most.

    Python 3.10 has no notes; there they are kept where 3.11 keeps them, and the launcher prints them.
    """
    if is_explained(error):
        return
    notes = vars(error).get("__notes__")
    if not isinstance(notes, list):
        notes = []
        error.__notes__ = notes
    notes.append(text)


def is_explained(error: BaseException) -> bool:
    """Whether an error has its note: the innermost call that raised it gave the best one."""
    notes = vars(error).get("__notes__")
    return isinstance(notes, list) and any(
        isinstance(each, str) and each.startswith(PREFIX) for each in notes
    )


def _text(error: BaseException) -> str:
    """The error's text, without asking its class, whose `__str__` may do anything."""
    return "\n".join(argument for argument in error.args if isinstance(argument, str))


def _of_the_text(recognised: Recognised) -> str:
    said = recognised.explanation
    head = f"{said.code} {said.says}" if said.code else said.says
    return f"{PREFIX}{head}\n  = help: {said.help}"
