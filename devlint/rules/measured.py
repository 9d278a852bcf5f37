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
    "DL101": Measured(243, 86),
    "DL102": Measured(207, 109),
    "DL103": Measured(44, 19),
    "DL104": Measured(27, 18),
    "DL105": Measured(30, 30),
    "DL106": Measured(120, 51),
    "DL107": Measured(228, 70),
    "DL108": Measured(58, 7),
    "DL109": Measured(1, 1),
    "DL110": Measured(9, 4),
    "DL111": Measured(5, 0),
    "DL112": Measured(74, 28),
    "DL113": Measured(5, 2),
    "DL201": Measured(182, 168),
    "DL202": Measured(89, 86),
    "DL203": Measured(5, 1),
    "DL204": Measured(117, 115),
    "DL205": Measured(193, 180),
    "DL206": Measured(42, 36),
    "DL207": Measured(31, 30),
    "DL208": Measured(31, 27),
    "DL209": Measured(9, 6),
    "DL301": Measured(72, 69),
    "DL302": Measured(6, 2),
    "DL303": Measured(7, 7),
    "DL304": Measured(76, 74),
    "DL306": Measured(192, 170),
    "DL307": Measured(16, 16),
    "DL308": Measured(28, 21),
    "DL402": Measured(38, 36),
    "DL404": Measured(3, 1),
    "DL406": Measured(14, 14),
    "DL418": Measured(14, 10),
}
"""By code. No finding there was read of the rules that are not listed."""
