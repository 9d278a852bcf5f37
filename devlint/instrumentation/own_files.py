"""Recognizing devlint's own files, whose frames and warnings are not the program's."""

from __future__ import annotations

import os
from pathlib import Path

PACKAGE = f"{Path(__file__).parents[1]}{os.sep}"
"""The directory of the package, with a separator at its end."""


def is_own(filename: str) -> bool:
    """Whether a file belongs to devlint."""
    return filename.startswith(PACKAGE)
