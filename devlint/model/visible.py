r"""Escaping foreign text in output, so that it cannot end lines or control terminals and CI servers.

For GitHub, a line that begins with `::`, after optional spaces, is a command; for Azure Pipelines and
TeamCity, `##vso[` and `##teamcity[` anywhere in a line.

Sources: actions/runner, `ActionCommand.cs`; azure-pipelines-agent, `Command.cs`; TeamCity, "Service
Messages".
"""

from __future__ import annotations

import re

_SPELLED_OUT = re.compile(
    r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
    r"|(?<=#)#(?=\w*\[)"
)
_COMMAND = "::"


def visible(text: str) -> str:
    r"""Text with visible control characters (`\x1b`), so that it stays on its line.

    Tabs stay. Also escaped are characters that reorder text, those that encodings or XML lack, and the second
    `#` of a possible command.
    """
    return _SPELLED_OUT.sub(_spelled_out, text)


def visible_start(text: str) -> str:
    """The same for the beginning of a line, such as a path: it cannot begin a command, and a path stays
    usable."""
    shown = visible(text)
    return f"./{shown}" if shown.lstrip().startswith(_COMMAND) else shown


def _spelled_out(found: re.Match[str]) -> str:
    character = found[0]
    return r"\x23" if character == "#" else character.encode("unicode_escape").decode()
