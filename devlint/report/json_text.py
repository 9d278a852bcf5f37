"""JSON that may stand in the log of a CI server."""

from __future__ import annotations

import json
import re

_COMMAND = re.compile(r"(?<=#)#(?=\w*\[)")
"""What would make a command of it (see `devlint.model.visible`); in JSON, it stands in strings alone."""


def json_text(data: object, *, indent: int | None = None) -> str:
    """Data as JSON, without a line end: on one line, or indented."""
    separators = (",", ":") if indent is None else None
    return _COMMAND.sub(r"\\u0023", json.dumps(data, indent=indent, separators=separators))
