"""Reads `programs.toml`: programs, their sources, and how they are run."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

CATALOGUE = Path(__file__).with_name("programs.toml")


@dataclass(frozen=True, slots=True)
class Program:
    """One program: a script of a public repository, or one of our own that uses a package's models."""

    name: str
    source: str
    """A key of `Catalogue.repositories`, or a package of `Catalogue.packages`."""
    command: tuple[str, ...]
    """The script and its arguments, as given to `python`."""
    exercises: str
    """Features that a simulation may get wrong, in a few words."""
    directory: str = "."
    """Where in the repository it is run."""
    packages: tuple[str, ...] = ()
    """Paths from `directory` to where the repository's own packages lie, for want of installing them."""
    cpu: tuple[str, ...] = ()
    """Further arguments of the run on the CPU."""
    cuda: tuple[str, ...] = ()
    """Further arguments of the run on simulated devices."""
    cpu_takes_cuda_path: bool = False
    """On the CPU too, the program is told that there is an accelerator, and `.cuda()` moves nothing.

    For programs that do other work where they find CUDA, such as shuffling, or cannot do without.
    """
    steps: int = 0
    """After how many optimizer steps to stop a program that offers no way to say so; 0 lets it end."""
    data: dict[str, str] = field(default_factory=dict)
    """Paths below `directory` that the program reads, each with the recipe of its data."""
    prepare: tuple[str, ...] = ()
    """A script of the program's own that must have run before, with its arguments."""
    prints: tuple[str, ...] = ()
    """Files that it writes what others print into."""
    settings: dict[str, str] = field(default_factory=dict)
    """Environment variables of its runs."""
    part: str = "tuned"
    """A key of `agreement.options.PARTS`."""
    drops: tuple[str, ...] = ()
    """Regular expressions of printed text that may differ between any two runs: times, names of devices."""

    @property
    def is_driver(self) -> bool:
        """Whether a driver of ours runs a package's models."""
        return "/" not in self.source


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All programs, with the pins of their sources."""

    repositories: dict[str, str]
    """GitHub repositories and the commit of each."""
    packages: dict[str, str]
    """Packages and the version of each: those with models to run, and those that programs import."""
    programs: tuple[Program, ...]

    @property
    def requirements(self) -> list[str]:
        """The packages, as pip wants them."""
        return [f"{name}=={version}" for name, version in self.packages.items()]

    def choose(self, names: Sequence[str]) -> list[Program]:
        """The programs of these names, or all.

        Raises:
            LookupError: a name that is not listed.
        """
        unknown = set(names).difference(program.name for program in self.programs)
        if unknown:
            raise LookupError(f"no such program: {', '.join(sorted(unknown))}")
        return [program for program in self.programs if not names or program.name in names]


def read(path: Path = CATALOGUE) -> Catalogue:
    """The catalogue."""
    toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    content: dict[str, Any] = toml.loads(path.read_text("utf-8"))
    programs = tuple(_program(row) for row in content["program"])
    return Catalogue(content["repositories"], content["packages"], programs)


def _program(row: dict[str, Any]) -> Program:
    lists: dict[str, Any] = {key: tuple(value) for key, value in row.items() if isinstance(value, list)}
    return Program(**{**row, **lists, "command": tuple(row["command"].split())})
