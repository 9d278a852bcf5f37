"""How reports name files."""

from __future__ import annotations

from pathlib import Path


def shown_path(path: Path, directory: Path) -> str:
    """The path in reports: relative if it is below the working directory."""
    return str(path.relative_to(directory)) if path.is_relative_to(directory) else str(path)
