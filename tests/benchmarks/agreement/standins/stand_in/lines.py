"""Counts how often each line below a folder is executed, and writes the counts down at the end."""

from __future__ import annotations

import atexit
import json
import os
import sys
import threading
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any


def count(root: str, target: str) -> None:
    """Count from now on, in all threads, and write `{path: {line: count}}` to the target at exit."""
    root = os.path.realpath(root) + os.sep
    files: dict[str, Counter[int] | None] = {}
    counts: dict[str, Counter[int]] = {}

    def counter(filename: str) -> Counter[int] | None:
        if filename.startswith("<"):
            return None
        path = os.path.realpath(filename)
        if not path.startswith(root):
            return None
        return counts.setdefault(path, Counter())

    def enter(frame: FrameType, _event: str, _argument: Any) -> Any:
        filename = frame.f_code.co_filename
        try:
            counted = files[filename]
        except KeyError:
            counted = files[filename] = counter(filename)
        if counted is None:
            return None
        lines = counted

        def at_line(frame: FrameType, event: str, _argument: Any) -> Any:
            if event == "line":
                lines[frame.f_lineno] += 1
            return at_line

        return at_line

    def write() -> None:
        sys.settrace(None)
        Path(target).write_text(json.dumps(counts), "utf-8")

    atexit.register(write)
    threading.settrace(enter)
    sys.settrace(enter)
