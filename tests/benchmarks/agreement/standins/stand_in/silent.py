"""Packages that show, log or read something that no run needs, in whose place nothing happens."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

NAMES = {
    "apex", "comet_ml", "envpool", "graphviz", "igraph", "librosa", "logger_tt", "oyaml", "progress",
    "pybullet_envs", "reformer_pytorch", "roboschool", "spacy", "tensorboard_logger", "tensorboardX",
    "visdom", "wandb",
}  # fmt: skip


class Silence(type):
    """A class whose attributes are all like itself: programs write `package.config.update()`."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing


class Nothing(metaclass=Silence):
    """An object whose attributes, items and results of calls are all like itself."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing()

    def __call__(self, *_: Any, **__: Any) -> Any:
        return Nothing()

    def __getitem__(self, _: Any) -> Any:
        return Nothing()

    def __setitem__(self, _: Any, __: Any) -> None:
        pass

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __enter__(self) -> Nothing:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class SilentModule(ModuleType):
    """A module with any attribute."""

    __path__: list[str] = []  # noqa: RUF012

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds these packages where they are not installed, and their submodules.

    Not those that `PROGRAM_LACKS` names: the program has something of its own in their place. Those that
    `PROGRAM_MUTES` names too: other packages would take them for the real ones.
    """

    def find_spec(self, name: str, *_: Any) -> Any:
        """A spec for one of the packages."""
        lacks, mutes = (os.environ.get(f"PROGRAM_{what}", "").split() for what in ("LACKS", "MUTES"))
        if name.partition(".")[0] in NAMES.difference(lacks).union(mutes):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec: Any) -> ModuleType:
        """The module."""
        return SilentModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing to run."""


def install() -> None:
    """Ask this finder last."""
    sys.meta_path.append(Finder())
