"""JSON that is safe in the log of a CI server."""

from __future__ import annotations

import json
import re

_COMMAND = re.compile(r"(?<=#)#(?=\w*\[)")
"""What a server would take for a command (see `devlint.model.visible`). In JSON, it occurs in strings
only."""


def json_text(data: object, *, indent: int | None = None) -> str:
    """Data as JSON without a final line end, on one line or indented."""
    separators = (",", ":") if indent is None else None
    return _COMMAND.sub(r"\\u0023", json.dumps(data, indent=indent, separators=separators))
