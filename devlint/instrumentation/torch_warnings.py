"""Showing warnings of torch at the places where they would be without devlint.

Torch warns in C, and Python uses the innermost frame as the place (`PyErr_WarnEx`, stack level 1). Under a
mode, that is a line of devlint, and because Python shows a text once for each place, warnings at further
lines of the program would be lost. Therefore a warning at a line of devlint is passed and issued again at its
real place, where the program's own filters decide.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from sys import _getframe
from types import FrameType

from devlint.instrumentation.hooks import report_failure
from devlint.instrumentation.own_files import is_own
from devlint.instrumentation.patches import Patches

_OWN = re.compile(r"devlint\b")
_ASKING = ("torch/overrides.py", "torch\\overrides.py")
"""The file in which Python functions of torch ask a mode."""
Show = Callable[[warnings.WarningMessage], None]


def patch_warnings(patches: Patches) -> None:
    """Show warnings at the program's lines from now on."""
    filters = ("always", None, Warning, _OWN, 0)
    warnings.filters.insert(0, filters)  # type: ignore[attr-defined] # a list, by its documentation
    warnings._filters_mutated()  # type: ignore[attr-defined]
    patches.removable(_Filter(filters))
    patches.wrap(warnings, "_showwarnmsg", _relocating)


class _Filter:
    """Removes devlint's filter from Python's."""

    def __init__(self, entry: object) -> None:
        self._entry = entry

    def remove(self) -> None:
        """Remove it, and keep the program's filters."""
        if self._entry in warnings.filters:
            warnings.filters.remove(self._entry)  # type: ignore[attr-defined]
            warnings._filters_mutated()  # type: ignore[attr-defined]


def _relocating(show: Show) -> Show:
    def _showwarnmsg(message: warnings.WarningMessage) -> None:
        frame = None
        try:
            if is_own(message.filename):
                frame = _place(_getframe(1))
        except Exception as error:
            report_failure(error)
        if frame is None:
            show(message)
            return
        names = frame.f_globals
        warnings.warn_explicit(
            message.message,
            message.category,
            frame.f_code.co_filename,
            frame.f_lineno,
            module=names.get("__name__", "<unknown>"),
            registry=names.setdefault("__warningregistry__", {}),
            source=message.source,
        )

    return _showwarnmsg


def _place(frame: FrameType | None) -> FrameType | None:
    """The frame that would be innermost without devlint: the caller of devlint's innermost frame.

    A Python function of torch is entered twice: to ask the mode, and by the mode.
    """
    while frame is not None and not is_own(frame.f_code.co_filename):
        frame = frame.f_back
    while frame is not None and is_own(frame.f_code.co_filename):
        while frame is not None and is_own(frame.f_code.co_filename):
            frame = frame.f_back
        asked = False
        while frame is not None and frame.f_code.co_filename.endswith(_ASKING):
            frame, asked = frame.f_back, True
        if frame is not None and asked:
            frame = frame.f_back
    return frame
