"""Options that are given as texts: their values, each of which is the same throughout a run."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.source.machine.domain.option_values import GivenText


class Texts:
    """The values of a program's options that are texts. Each run chooses one of those with which the program
    compares them that no earlier run has chosen."""

    def __init__(self) -> None:
        self._tried: dict[str, set[str]] = {}
        self.begin()

    def begin(self) -> None:
        """Start a run."""
        self._chosen: dict[str, str] = {}
        self.are_new = False
        """Whether this run has chosen a text that no earlier run has, so that another one may be left."""

    def text_of(self, given: GivenText, texts: Sequence[str]) -> str | None:
        """The one of some texts that an option is in this run; None if it is none of them."""
        tried = self._tried.setdefault(given.option, {given.default})
        new = [each for each in texts if each not in tried]
        if given.option not in self._chosen and new:
            self._chosen[given.option] = new.pop(0)
            tried.add(self._chosen[given.option])
            self.are_new = True
        chosen = self._chosen.get(given.option)
        return chosen if chosen in texts else None

    def has_part(self, given: GivenText, part: str) -> bool:
        """Whether an option contains a text in this run."""
        if given.option not in self._chosen and part not in given.default:
            return self.text_of(given, [part]) is not None
        chosen = self._chosen.get(given.option)
        return chosen is not None and part in chosen
