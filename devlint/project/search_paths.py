"""The directories that a script adds to `sys.path`, as far as its text shows them."""

from __future__ import annotations

import re

_IMPORT = re.compile(r"^(?:import|from)[ \t]+(\w+)", re.MULTILINE)


def imported_names(text: str) -> list[str]:
    """The first names of the modules that a script imports, outside of functions."""
    return list(dict.fromkeys(_IMPORT.findall(text)))


def added_paths(text: str, path: str) -> list[str]:
    """The directories, whether or not they exist. Relative ones are taken as if the script was started in its
    own directory."""
    if "sys.path" not in text:
        return []
    from devlint.project.script_paths import places_added  # noqa: PLC0415  # imports `ast`, which few need

    return places_added(text, path)
