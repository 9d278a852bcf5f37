"""Whose line it was: the innermost frame of the program's own code."""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Collection
from importlib.util import find_spec
from sys import _getframe
from types import CodeType, FrameType

from devlint.instrumentation.own_files import PACKAGE
from devlint.runtime.places.installed import package_of

_INNER_PACKAGES = ("torch", "numpy")
"""Packages in which a call is never the program's own: the line that called them is."""


def user_frame(frame: FrameType | None = None) -> FrameType | None:
    """The innermost frame that is neither torch's, NumPy's, the standard library's nor devlint's.

    It starts at `frame`, or at the caller. None where no frame is the program's own, as at the bottom of a
    thread.
    """
    if frame is None:
        frame = _getframe(1)
    while frame is not None and is_inner(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def own_frame(frame: FrameType, own: Collection[str]) -> FrameType | None:
    """The innermost frame at or around this one that is of no installed package but those named.

    None where there is none, as in a thread that a package has started.
    """
    around: FrameType | None = frame
    while around is not None:
        filename = around.f_code.co_filename
        if not is_inner(filename):
            package = package_of(filename)
            if not package or package in own:
                return around
        around = around.f_back
    return None


def caller(frame: FrameType) -> FrameType | None:
    """The frame that made a call, where this one may only have passed it on."""
    return frame.f_back if frame.f_code in PASSING_ON else frame


def leave_out(filename: str) -> None:
    """Take no line of a file for the program's own: that of a command which runs the program."""
    _KNOWN[filename] = True


def is_inner(filename: str) -> bool:
    """Whether a file is torch's, NumPy's, the standard library's or devlint's, or its code was generated."""
    known = _KNOWN.get(filename)
    if known is None:
        known = _KNOWN[filename] = _decide(filename)
    return known


def _decide(filename: str) -> bool:
    if filename.startswith("<"):
        # Generated code belongs to whoever calls it, but for what a person types or passes as text.
        return filename not in ("<stdin>", "<string>") and not filename.startswith("<ipython")
    if filename.startswith(_inner_directories()):
        return True
    inside = filename.startswith(_standard_library())
    return inside and "site-packages" not in filename and "dist-packages" not in filename


def _inner_directories() -> tuple[str, ...]:
    if not _DIRECTORIES:
        _DIRECTORIES.append(PACKAGE.removesuffix(os.sep))
        for package in _INNER_PACKAGES:
            spec = find_spec(package)
            _DIRECTORIES.extend(spec.submodule_search_locations or () if spec is not None else ())
    # With the separator, or torch's would be the beginning of torchvision's.
    return tuple(f"{directory}{os.sep}" for directory in _DIRECTORIES)


def _standard_library() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    return (paths["stdlib"], paths["platstdlib"])


PASSING_ON: set[CodeType] = set()
"""Code of devlint's own that stands between a program and torch."""
_KNOWN: dict[str, bool] = {}
"""By file name; a program has few, and asks often."""
_DIRECTORIES: list[str] = []
