"""A quick search for comments that address devlint, before a text is tokenized."""

from __future__ import annotations

import re

_OURS = r"(?i)#[ \t]*devlint[ \t]*:|#[ \t]*noqa[ \t]*:[^\n]*\bDL\d"
_ANY = r"(?i)#[ \t]*(?:devlint[ \t]*:|noqa)"


def names_devlint(text: str) -> bool:
    """Whether a comment may name devlint or one of its codes."""
    return re.search(_OURS, text) is not None


def may_suppress(text: str, *, has_findings: bool) -> bool:
    """Whether a text may contain a relevant suppression.

    Without findings, only those that name devlint are relevant, because they may be unused.
    """
    return re.search(_ANY, text) is not None if has_findings else names_devlint(text)
