"""Finding the innermost frame of the program's own code."""

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
"""Packages whose calls are attributed to the line that called them."""


def user_frame(frame: FrameType | None = None) -> FrameType | None:
    """The innermost frame outside of torch, NumPy, the standard library and devlint.

    The search starts at `frame`, or at the caller. None if there is no such frame, as at the bottom of a
    thread.
    """
    if frame is None:
        frame = _getframe(1)
    while frame is not None and is_inner(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def own_frame(frame: FrameType, own: Collection[str]) -> FrameType | None:
    """The innermost frame, from this one on, that is not in an installed package, except those named.

    None if there is none, as in a thread that a package has started.
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
    """The frame that made a call, if this one only passed it on."""
    return frame.f_back if frame.f_code in PASSING_ON else frame


def leave_out(filename: str) -> None:
    """Exclude a file from the program's own files, such as that of the command that runs the program."""
    _KNOWN[filename] = True


def is_inner(filename: str) -> bool:
    """Whether a file belongs to torch, NumPy, the standard library or devlint, or its code was generated."""
    known = _KNOWN.get(filename)
    if known is None:
        known = _KNOWN[filename] = _decide(filename)
    return known


def _decide(filename: str) -> bool:
    if filename.startswith("<"):
        # Generated code belongs to its caller, except code that a person types or passes as text.
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
    # With the separator, because "torch" is a prefix of "torchvision".
    return tuple(f"{directory}{os.sep}" for directory in _DIRECTORIES)


def _standard_library() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    return (paths["stdlib"], paths["platstdlib"])


PASSING_ON: set[CodeType] = set()
"""Code of devlint between the program and torch."""
_KNOWN: dict[str, bool] = {}
"""A cache by file name."""
_DIRECTORIES: list[str] = []
