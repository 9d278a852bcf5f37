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
    "DL101": Measured(254, 88),
    "DL102": Measured(250, 152),
    "DL103": Measured(45, 20),
    "DL104": Measured(29, 19),
    "DL105": Measured(32, 32),
    "DL106": Measured(133, 52),
    "DL107": Measured(251, 75),
    "DL108": Measured(77, 7),
    "DL109": Measured(1, 1),
    "DL110": Measured(9, 4),
    "DL111": Measured(5, 0),
    "DL112": Measured(74, 28),
    "DL113": Measured(5, 2),
    "DL201": Measured(224, 209),
    "DL202": Measured(105, 99),
    "DL203": Measured(7, 1),
    "DL204": Measured(127, 125),
    "DL205": Measured(208, 193),
    "DL206": Measured(48, 42),
    "DL207": Measured(36, 35),
    "DL208": Measured(33, 29),
    "DL209": Measured(9, 6),
    "DL301": Measured(84, 81),
    "DL302": Measured(7, 2),
    "DL303": Measured(7, 7),
    "DL304": Measured(104, 102),
    "DL306": Measured(202, 178),
    "DL307": Measured(16, 16),
    "DL308": Measured(30, 23),
    "DL402": Measured(40, 38),
    "DL404": Measured(3, 1),
    "DL406": Measured(27, 27),
    "DL418": Measured(18, 14),
}
"""By code. No finding there was read of the rules that are not listed."""
