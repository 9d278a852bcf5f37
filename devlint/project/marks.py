"""Whether a text speaks to devlint at all, which is looked for before anything is tokenized."""

from __future__ import annotations

import re

_OURS = r"(?i)#[ \t]*devlint[ \t]*:|#[ \t]*noqa[ \t]*:[^\n]*\bDL\d"
_ANY = r"(?i)#[ \t]*(?:devlint[ \t]*:|noqa)"


def names_devlint(text: str) -> bool:
    """Whether a comment may speak to devlint by its name or by one of its codes."""
    return re.search(_OURS, text) is not None


def may_suppress(text: str, *, has_findings: bool) -> bool:
    """Whether a suppression may stand in a text that matters.

    Without findings only those matter that name devlint, because they may be of no use.
    """
    return re.search(_ANY, text) is not None if has_findings else names_devlint(text)
