"""The owner of code: a test, the library under test, or a third party."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from importlib.util import find_spec
from pathlib import Path
from types import FrameType

from devlint.runtime.places.frames import is_inner


class Owner(Enum):
    """The owner of some code."""

    TEST = "test"
    LIBRARY = "library"
    THIRD_PARTY = "third party"
    NOBODY = "nobody"
    """Torch, NumPy, the standard library and generated code, which work for their callers."""


Entries = dict[FrameType, FrameType | None]
"""Frames, with those by which test code entered the library for them."""
_NEAR = 2
"""How far a known frame may be from one whose own entry need not be remembered."""
_MANY = 64
"""So many frames are remembered: most have ended, but their variables are kept."""
_RESUMED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_DOCTEST = "<doctest "
"""The file name of a doctest's code."""
_INSTALLED = ("site-packages", "dist-packages")


class Owners:
    """The owner of each file.

    Args: root: the project. Files below it that are not tests belong to the library. packages: names of the
        packages under test, if the library is only a part of the project, or installed elsewhere. Without
        any, the library is the project. tests: files and directories with test code.
    """

    def __init__(self, root: Path, packages: Iterable[str] = (), tests: Iterable[Path] = ()) -> None:
        self._root = os.path.realpath(root)
        self._packages = tuple(packages)
        self._tests = {os.path.realpath(path) for path in tests}
        self._files: dict[str, Owner] = {}

    def add_tests(self, *paths: Path) -> None:
        """Add files and directories with test code."""
        new = {os.path.realpath(path) for path in paths} - self._tests
        if new:
            self._tests |= new
            self._files.clear()

    def is_in_package(self, path: Path) -> bool:
        """Whether a path is in one of the named packages."""
        return _longest(os.path.realpath(path), self._directories()) > 0

    def of_file(self, filename: str) -> Owner:
        """The owner of a file, by the longest known path."""
        known = self._files.get(filename)
        if known is None:
            known = self._files[filename] = self._decide(filename)
        return known

    def of_class(self, kind: type) -> Owner:
        """The owner of a class: that of its module."""
        module = sys.modules.get(kind.__module__)
        return self.of_file(getattr(module, "__file__", None) or "<built-in>")

    def caller(self, frame: FrameType | None) -> tuple[FrameType | None, Owner]:
        """The innermost frame with an owner, from a frame outwards, and its owner."""
        files = self._files
        while frame is not None:
            filename = frame.f_code.co_filename
            owner = files.get(filename) or self.of_file(filename)
            if owner is not Owner.NOBODY:
                return frame, owner
            frame = frame.f_back
        return None, Owner.NOBODY

    def entry(self, frame: FrameType | None, known: Entries | None = None) -> FrameType | None:
        """The frame of the library that test code called and that contains this frame; None if there is none.

        If the library calls test code, which calls the library again, it is the innermost one. `known` has
        the entries of frames that were passed before; those around this frame are added, unless it is soon
        among them.
        """
        files = self._files
        found: FrameType | None = None
        passed: list[FrameType] = []
        while frame is not None:
            if known is not None and frame in known:
                entry = known[frame] or found
                if len(passed) > _NEAR:
                    _remember(known, passed, entry)
                return entry
            filename = frame.f_code.co_filename
            owner = files.get(filename) or self.of_file(filename)
            if owner is Owner.LIBRARY:
                found = frame
            elif owner is Owner.TEST:
                break
            passed.append(frame)
            frame = frame.f_back
        if known is not None:
            known.clear()
            _remember(known, passed if frame is not None else (), found)
        return found if frame is not None else None

    def called_by_test(self, frame: FrameType | None) -> FrameType | None:
        """The frame of another owner that test code called and that contains this frame."""
        found: FrameType | None = None
        while frame is not None:
            owner = self.of_file(frame.f_code.co_filename)
            if owner is Owner.TEST:
                return found
            if owner is not Owner.NOBODY:
                found = frame
            frame = frame.f_back
        return None

    def _decide(self, filename: str) -> Owner:
        if filename.startswith("<"):
            return Owner.TEST if filename.startswith(_DOCTEST) else Owner.NOBODY
        path = os.path.realpath(filename)
        is_conftest = Path(path).name == "conftest.py" and _is_below(path, self._root)
        if is_conftest or path in self._tests:
            return Owner.TEST
        in_tests = _longest(path, self._tests)
        in_packages = _longest(path, self._directories())
        if in_packages and in_packages >= in_tests:
            return Owner.LIBRARY
        if in_tests:
            return Owner.TEST
        if is_inner(filename):
            return Owner.NOBODY
        if not self._packages and _is_below(path, self._root) and not _is_installed(path):
            return Owner.LIBRARY
        return Owner.THIRD_PARTY

    def _directories(self) -> Iterator[str]:
        """The directories of the packages that can be found so far; for a single module, its file."""
        for name in self._packages:
            spec = find_spec(name)
            if spec is not None:
                directories = spec.submodule_search_locations or (spec.origin or "",)
                yield from (os.path.realpath(each) for each in directories if each)


def _remember(known: Entries, passed: Sequence[FrameType], entry: FrameType | None) -> None:
    """Know the entries of these frames, innermost first. Those outside of the entry have none. What resumes a
    generator differs from one time to the next."""
    if len(known) > _MANY:
        known.clear()
    is_inside = entry is not None
    for frame in passed:
        if not frame.f_code.co_flags & _RESUMED:
            known[frame] = entry if is_inside else None
        is_inside = is_inside and frame is not entry


def _is_below(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip(os.sep) + os.sep)


def _longest(path: str, directories: Iterable[str]) -> int:
    """The length of the longest of these directories that contains a path; 0 if none does."""
    return max((len(each) for each in directories if _is_below(path, each)), default=0)


def _is_installed(path: str) -> bool:
    return any(part in Path(path).parts for part in _INSTALLED)
