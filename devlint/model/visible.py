r"""Text of others on a line of ours: it ends no line, commands no terminal and no CI server.

GitHub takes a line that begins with `::` for a command, after spaces too; Azure Pipelines and TeamCity take
`##vso[` and `##teamcity[` for one anywhere in a line.

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
    r"""Text with its control characters spelled out (`\x1b`), so that it stays on its line and stays plain.

    Tabs stay. Characters that reorder text are spelled out too, what no encoding and no XML has, and the
    second `#` of what would be a command.
    """
    return _SPELLED_OUT.sub(_spelled_out, text)


def visible_start(text: str) -> str:
    """The same of what begins a line, with a path perhaps: it begins no command, and the path still leads to
    its file."""
    shown = visible(text)
    return f"./{shown}" if shown.lstrip().startswith(_COMMAND) else shown


def _spelled_out(found: re.Match[str]) -> str:
    character = found[0]
    return r"\x23" if character == "#" else character.encode("unicode_escape").decode()
