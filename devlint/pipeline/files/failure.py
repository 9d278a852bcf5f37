"""The wording of internal errors."""

from __future__ import annotations

import traceback
from pathlib import Path

from devlint.rules.registry import HOME

REPORT = "please report it" if HOME is None else f"please report it: {HOME}/issues"


def where(error: Exception) -> str:
    """The type and text of an exception, and its place in devlint."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "devlint" in Path(frame.filename).parts]
    text = " ".join(str(error).split())[:100]
    kind = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return f"{kind}, {Path(own[-1].filename).name}:{own[-1].lineno}" if own else kind
