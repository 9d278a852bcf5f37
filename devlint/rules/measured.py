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
    "DL101": Measured(216, 82),
    "DL102": Measured(188, 101),
    "DL103": Measured(41, 17),
    "DL104": Measured(26, 18),
    "DL105": Measured(30, 30),
    "DL106": Measured(102, 46),
    "DL107": Measured(213, 69),
    "DL108": Measured(55, 7),
    "DL109": Measured(1, 1),
    "DL110": Measured(7, 2),
    "DL111": Measured(5, 0),
    "DL112": Measured(69, 23),
    "DL113": Measured(3, 1),
    "DL201": Measured(129, 119),
    "DL202": Measured(67, 64),
    "DL203": Measured(3, 1),
    "DL204": Measured(98, 96),
    "DL205": Measured(114, 109),
    "DL206": Measured(33, 29),
    "DL207": Measured(21, 21),
    "DL208": Measured(25, 21),
    "DL209": Measured(6, 4),
    "DL301": Measured(46, 46),
    "DL302": Measured(4, 0),
    "DL303": Measured(6, 6),
    "DL304": Measured(48, 48),
    "DL306": Measured(148, 137),
    "DL307": Measured(5, 5),
    "DL308": Measured(21, 16),
    "DL402": Measured(29, 28),
    "DL404": Measured(3, 1),
    "DL406": Measured(9, 9),
    "DL418": Measured(10, 6),
}
"""By code. No finding there was read of the rules that are not listed."""
