"""Which lines of its own files a program runs: each is recorded once, and costs next to nothing afterwards.

From Python 3.12 on, `sys.monitoring` reports each line once, and its events for the line are then disabled.
Earlier releases only have tracing, which costs time for each line until all lines of a function have run.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from threading import RLock
from types import CodeType, FrameType
from typing import Any

from devlint.instrumentation.hooks import report_failure
from devlint.runtime.places.frames import is_inner

IS_CHEAP = sys.version_info >= (3, 12)
"""Whether lines are recorded by default."""
_TOOLS = (3, 4)
"""The tool numbers of `sys.monitoring` without a predefined use."""


class ExecutedLines:
    """The executed lines, by file."""

    def __init__(self) -> None:
        self._own: dict[str, str] = {}
        """The path of each file name in code, if the file is the program's own; else empty."""
        self._fresh: dict[str, set[int]] = {}
        self._ran: dict[str, set[int]] = {}
        self._stop: Callable[[], None] | None = None
        self._done: set[CodeType] = set()
        self._lock = RLock()

    def start(self) -> str:
        """Start recording. Returns why that is impossible; empty if it is possible."""
        if sys.version_info >= (3, 12):
            return self._monitor()
        if sys.gettrace() is not None:
            return "executed lines were not recorded, because a debugger or another tool traces the program"
        sys.settrace(self._called)
        threading.settrace(self._called)
        self._stop = _untrace
        return ""

    def stop(self) -> None:
        """Stop recording."""
        if self._stop is not None:
            self._stop()
            self._stop = None

    @property
    def ran(self) -> dict[str, frozenset[int]]:
        """All lines so far, by absolute path."""
        with self._lock:
            return {path: frozenset(lines) for path, lines in self._ran.items()}

    def take(self) -> dict[str, list[int]]:
        """The lines since the last call, by absolute path."""
        with self._lock:
            fresh, self._fresh = self._fresh, {}
        return {path: sorted(lines) for path, lines in fresh.items()}

    def _note(self, path: str, line: int) -> None:
        ran = self._ran.setdefault(path, set())
        if line not in ran:
            with self._lock:
                ran.add(line)
                self._fresh.setdefault(path, set()).add(line)

    def _path(self, name: str) -> str:
        """The path of the program's own file of this name; empty for other files."""
        known = self._own.get(name)
        if known is None:
            installed = "site-packages" in name or "dist-packages" in name
            own = not (name.startswith("<") or installed or is_inner(name))
            known = self._own[name] = os.path.abspath(name) if own else ""  # noqa: PTH100
        return known

    if sys.version_info >= (3, 12):

        def _monitor(self) -> str:
            monitoring = sys.monitoring
            free = [tool for tool in _TOOLS if monitoring.get_tool(tool) is None]
            if not free:
                return "executed lines were not recorded, because other tools monitor the program"
            tool = free[0]
            monitoring.use_tool_id(tool, "devlint")
            monitoring.register_callback(tool, monitoring.events.LINE, self._line)
            monitoring.set_events(tool, monitoring.events.LINE)
            monitoring.restart_events()  # a previous tool with this number may have disabled events

            def stop() -> None:
                monitoring.set_events(tool, monitoring.events.NO_EVENTS)
                monitoring.register_callback(tool, monitoring.events.LINE, None)
                monitoring.free_tool_id(tool)

            self._stop = stop
            return ""

        def _line(self, code: CodeType, line: int) -> Any:
            try:
                path = self._path(code.co_filename)
                if path:
                    self._note(path, line)
            except Exception as error:  # devlint's own: the program must not notice
                report_failure(error)
            return sys.monitoring.DISABLE

    def _called(self, frame: FrameType, event: str, _: object) -> Any:  # noqa: ARG002
        """The trace function of calls; returns that of the lines."""
        code = frame.f_code
        if code in self._done:
            return None
        path = self._path(code.co_filename)
        if not path:
            self._done.add(code)
            return None
        left = {line for _, _, line in code.co_lines() if line} - self._ran.get(path, set())

        def reached(frame: FrameType, event: str, _: object) -> Any:
            if event == "line" and frame.f_lineno in left:
                left.discard(frame.f_lineno)
                self._note(path, frame.f_lineno)
            if left:
                return reached
            self._done.add(code)
            return None

        return reached


def _untrace() -> None:
    sys.settrace(None)
    threading.settrace(None)
