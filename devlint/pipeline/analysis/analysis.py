"""The results of executing one file as a program, before they are combined with those of other programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from devlint.model import Finding, Site, Withheld


class Rules(NamedTuple):
    """The codes that are on in the files of a project."""

    own: frozenset[str]
    """In the executed file, and in files without an entry in `others`."""
    others: Mapping[str, frozenset[str]] = MappingProxyType({})
    """In other checked files, by path."""
    somewhere: frozenset[str] = frozenset()
    """In any of them."""

    def at(self, home: str) -> frozenset[str]:
        """In one file; the executed file has the empty path."""
        return self.others.get(home, self.own) if home else self.own

    @property
    def every(self) -> frozenset[str]:
        """All that are on anywhere."""
        return self.own | self.somewhere


class Claim(NamedTuple):
    """A finding, its file, and what it depends on."""

    finding: Finding
    home: str = ""
    """The path of its file; empty for that of the program."""
    anchor: Site | None = None
    """The innermost call in the program's own file that leads to another one."""
    hypotheses: frozenset[str] = frozenset()
    """The functions of the program's file on whose assumed calls it depends; empty if the program itself
    shows it."""
    cause: tuple[int, int] | None = None
    """The extent of its cause in the same file, which a more specific finding may share."""
    of_arguments: bool = False
    """Whether it rests on where the tensors lie that these functions are assumed to be given."""


class Analysis(NamedTuple):
    """The results of one program. Places in its own file have its name in reports, others have paths."""

    claims: Sequence[Claim] = ()
    reached: frozenset[tuple[str, str]] = frozenset()
    """The functions of other files that the program calls: path and qualified name."""
    given: frozenset[tuple[str, str, str, bool]] = frozenset()
    """What functions of other files get from those of this file that nothing calls: path and qualified name,
    the function of this file that is assumed to be called, and whether all are tensors on the host."""
    withheld: Sequence[tuple[str, Withheld]] = ()
    """What the observer withheld, if requested, with the path of the file as in claims."""
    speaks: bool = False
    """Whether a comment in the file addresses devlint."""
    is_cut_short: bool = False
    """Whether the program exceeded the budget of steps, so that not all calls were followed."""

    @property
    def says_something(self) -> bool:
        """Whether the analysis has anything to store."""
        return bool(self.claims or self.reached or self.given or self.speaks or self.is_cut_short)
