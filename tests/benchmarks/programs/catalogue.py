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
    unread: bool = False
    """Its results are not read line by line; the figures of such programs are out of sample."""
    later: bool = False
    """Listed when the figures of the others were known; read line by line after a first figure of its own."""
    newest: bool = False
    """As `later`, and listed when the later ones had been read."""
    latest: bool = False
    """As `newest`, and listed when the newest ones had been read."""
    fifth: bool = False
    """As `latest`, and listed when the latest ones had been read."""
    sixth: bool = False
    """As `fifth`, and listed when the fifth ones had been read."""
    seventh: bool = False
    """As `sixth`, and listed when the sixth ones had been read."""
    eighth: bool = False
    """As `seventh`, and listed when the seventh ones had been read."""
    ninth: bool = False
    """As `eighth`, and listed when the eighth ones had been read."""
    tenth: bool = False
    """As `ninth`, and listed when the ninth ones had been read."""
    eleventh: bool = False
    """As `tenth`, and listed when the tenth ones had been read."""
    twelfth: bool = False
    """As `eleventh`, and listed when the eleventh ones had been read."""
    thirteenth: bool = False
    """As `twelfth`, and listed when the twelfth ones had been read."""
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
