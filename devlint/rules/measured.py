"""How often a rule is right on released packages not used for development, see docs/accuracy.md."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measured:
    """How many findings of a rule were read, and how many of them are true."""

    read: int
    true: int

    def __str__(self) -> str:
        findings = "finding" if self.read == 1 else "findings"
        return f"{self.true} of {self.read} {findings} on packages not used for development proved true"


MEASURED = {
    "DL101": Measured(265, 91),
    "DL102": Measured(255, 154),
    "DL103": Measured(48, 20),
    "DL104": Measured(30, 20),
    "DL105": Measured(36, 36),
    "DL106": Measured(146, 52),
    "DL107": Measured(253, 75),
    "DL108": Measured(79, 7),
    "DL109": Measured(1, 1),
    "DL110": Measured(9, 4),
    "DL111": Measured(5, 0),
    "DL112": Measured(75, 29),
    "DL113": Measured(6, 2),
    "DL201": Measured(230, 212),
    "DL202": Measured(108, 102),
    "DL203": Measured(7, 1),
    "DL204": Measured(129, 127),
    "DL205": Measured(210, 194),
    "DL206": Measured(48, 42),
    "DL207": Measured(36, 35),
    "DL208": Measured(33, 29),
    "DL209": Measured(9, 6),
    "DL301": Measured(91, 88),
    "DL302": Measured(8, 2),
    "DL303": Measured(11, 10),
    "DL304": Measured(104, 102),
    "DL306": Measured(209, 185),
    "DL307": Measured(16, 16),
    "DL308": Measured(30, 23),
    "DL402": Measured(44, 42),
    "DL404": Measured(5, 1),
    "DL406": Measured(32, 32),
    "DL418": Measured(18, 14),
}
"""By code. No finding there was read of the rules that are not listed."""
