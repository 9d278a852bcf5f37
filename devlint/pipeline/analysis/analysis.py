"""What running one file as a program showed, before it is put together with what other programs showed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from devlint.model import Finding, Site, Withheld


class Rules(NamedTuple):
    """The codes that are on in the files of a project."""

    own: frozenset[str]
    """In the file that is run, and in those of which nothing else is known."""
    others: Mapping[str, frozenset[str]] = MappingProxyType({})
    """In files that are checked too, by their paths."""
    somewhere: frozenset[str] = frozenset()
    """In any of them."""

    def at(self, home: str) -> frozenset[str]:
        """In one file; that which is run goes by the empty path."""
        return self.others.get(home, self.own) if home else self.own

    @property
    def every(self) -> frozenset[str]:
        """All that are on anywhere."""
        return self.own | self.somewhere


class Claim(NamedTuple):
    """A finding, where it stands, and what it rests on."""

    finding: Finding
    home: str = ""
    """The path of the file in which it stands; empty for that of the program."""
    anchor: Site | None = None
    """The innermost call in the program's own file that leads to another one."""
    hypotheses: frozenset[str] = frozenset()
    """The functions of the program's file one of which has to be called as was supposed; none where the
    program itself shows it."""
    cause: tuple[int, int] | None = None
    """The extent, in the same file, of what the finding is about: a more specific one may be about it too."""


class Analysis(NamedTuple):
    """All that one program showed. Places in its own file go by its name in reports, others by paths."""

    claims: Sequence[Claim] = ()
    reached: frozenset[tuple[str, str]] = frozenset()
    """The functions of other files that the program calls: path and qualified name."""
    withheld: Sequence[tuple[str, Withheld]] = ()
    """What the observer withheld, where that was asked for, with the path of the file as of claims."""
    speaks: bool = False
    """Whether a comment in the file speaks to devlint."""
    is_cut_short: bool = False
    """Whether the program takes more steps than the budget allows, so that not all calls were followed."""

    @property
    def says_something(self) -> bool:
        """Whether there is anything to remember of it."""
        return bool(self.claims or self.reached or self.speaks or self.is_cut_short)
