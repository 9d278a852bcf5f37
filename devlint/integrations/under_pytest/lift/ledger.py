"""The results of lifted tests besides findings: costs of the library's lines, and tests that could not be
lifted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from devlint.integrations.under_pytest.ledger import Ledger


@dataclass(slots=True)
class Cost:
    """The waits or copies of one line of the library, over all tests."""

    times: int = 0
    bytes: int = 0
    last_line: int = 0
    """The last line of the call."""
    forward: bool = False
    """Whether it was seen inside the forward of a module."""
    tests: list[str] = field(default_factory=list)


Line = tuple[str, int, str, str]
"""A file, a line, `wait`, `upload` or `download`, and the function of torch that does it."""


@dataclass(slots=True)
class LiftLedger(Ledger):
    """A ledger of lifted tests."""

    tests: int = 0
    """How many tests were run."""
    calls: int = 0
    """How often the tests called the library."""
    slow: Ledger = field(default_factory=Ledger)
    """Findings about needless waits and copies on hot paths."""
    _costs: dict[Line, Cost] = field(default_factory=dict)
    _reasons: dict[str, list[str]] = field(default_factory=dict)
    _excused: Counter[tuple[str, int]] = field(default_factory=Counter)

    def add_cost(self, line: Line, cost: Cost) -> None:
        """Add the cost of a line in one or several tests."""
        known = self._costs.setdefault(line, Cost())
        known.times += cost.times
        known.bytes += cost.bytes
        known.last_line = max(known.last_line, cost.last_line)
        known.forward |= cost.forward
        known.tests.extend(test for test in cost.tests if test not in known.tests)

    def add_excused(self, excused: Counter[tuple[str, int]]) -> None:
        """Add how often lines of the library, by file and number, mixed devices without being at fault."""
        self._excused += excused

    def add_reasons(self, test: str, reasons: list[str]) -> None:
        """Add why a test could not be lifted completely."""
        if reasons:
            known = self._reasons.setdefault(test, [])
            known.extend(reason for reason in reasons if reason not in known)

    def merge(self, other: Ledger) -> None:
        """Add the results of another process."""
        Ledger.merge(self, other)
        if isinstance(other, LiftLedger):
            self.tests += other.tests
            self.calls += other.calls
            self.slow.merge(other.slow)
            self.add_excused(other._excused)
            for line, cost in other._costs.items():
                self.add_cost(line, cost)
            for test, reasons in other._reasons.items():
                self.add_reasons(test, reasons)

    def costs(self) -> list[tuple[Line, Cost]]:
        """The costs of lines, the most frequent first."""
        return sorted(self._costs.items(), key=lambda entry: (-entry[1].times, entry[0]))

    def reasons(self) -> Iterator[tuple[str, list[str]]]:
        """Why tests could not be lifted, by test."""
        yield from self._reasons.items()

    def excused(self) -> Iterator[tuple[tuple[str, int], int]]:
        """Lines that mixed devices without being at fault, and how often."""
        yield from sorted(self._excused.items())
