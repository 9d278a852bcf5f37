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
    "DL101": Measured(196, 82),
    "DL102": Measured(186, 101),
    "DL103": Measured(41, 17),
    "DL104": Measured(26, 18),
    "DL105": Measured(30, 30),
    "DL106": Measured(100, 46),
    "DL107": Measured(211, 69),
    "DL108": Measured(34, 6),
    "DL109": Measured(1, 1),
    "DL110": Measured(7, 2),
    "DL111": Measured(5, 0),
    "DL112": Measured(66, 20),
    "DL113": Measured(3, 1),
    "DL201": Measured(92, 84),
    "DL202": Measured(66, 63),
    "DL203": Measured(2, 0),
    "DL204": Measured(77, 75),
    "DL205": Measured(68, 64),
    "DL206": Measured(26, 22),
    "DL207": Measured(16, 16),
    "DL208": Measured(21, 18),
    "DL209": Measured(5, 4),
    "DL301": Measured(43, 43),
    "DL302": Measured(3, 0),
    "DL303": Measured(4, 4),
    "DL304": Measured(25, 25),
    "DL306": Measured(137, 126),
    "DL307": Measured(3, 3),
    "DL308": Measured(8, 8),
    "DL402": Measured(28, 27),
    "DL404": Measured(2, 0),
    "DL406": Measured(9, 9),
    "DL418": Measured(10, 6),
}
"""By code. No finding there was read of the rules that are not listed."""
