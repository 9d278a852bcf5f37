"""Options that are given as texts: their values, each of which is the same throughout a run."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.source.machine.domain.option_values import GivenText


class Texts:
    """The values of a program's options that are texts. Each run chooses one of those with which the program
    compares them that no earlier run has chosen, then one run chooses none of them. After that, an option has
    its default, so that further texts of other options are tried with a value that the program knows."""

    def __init__(self) -> None:
        self._tried: dict[str, dict[str, None]] = {}
        self._done: set[str] = set()
        """The options of which a run has chosen none of the texts."""
        self.begin()

    def begin(self) -> None:
        """Start a run."""
        self._chosen: dict[str, str | None] = {}
        self._has_new = False

    def end(self) -> bool:
        """End a run. Returns whether another one may choose texts that no run has chosen up to now: this run
        has chosen new ones, or an option has run out of them, so that this run may not have asked others."""
        without = {option for option, text in self._chosen.items() if text is None} - self._done
        self._done |= without
        return self._has_new or (bool(without) and len(self._tried) > 1)

    def text_of(self, given: GivenText, texts: Sequence[str]) -> str | None:
        """The one of some texts that an option is in this run; None if it is none of them."""
        tried = self._tried.setdefault(given.option, {given.default: None})
        new = next((each for each in texts if each not in tried), None)
        chosen = self._chosen.get(given.option)
        if chosen is None and new is not None:
            chosen = new
            tried[new] = None
            self._has_new = True
        elif chosen is None and given.option in self._done:
            chosen = next(filter(None, tried), None)
        self._chosen[given.option] = chosen
        return chosen if chosen in texts else None

    def has_part(self, given: GivenText, part: str) -> bool:
        """Whether an option contains a text in this run."""
        chosen = self._chosen.get(given.option)
        if chosen is None and part not in given.default:
            return self.text_of(given, [part]) is not None
        return chosen is not None and part in chosen
