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
    "DL101": Measured(138, 53),
    "DL102": Measured(155, 82),
    "DL103": Measured(29, 7),
    "DL104": Measured(23, 15),
    "DL105": Measured(19, 19),
    "DL106": Measured(87, 40),
    "DL107": Measured(160, 47),
    "DL108": Measured(32, 6),
    "DL109": Measured(1, 1),
    "DL110": Measured(7, 2),
    "DL111": Measured(5, 0),
    "DL112": Measured(66, 20),
    "DL113": Measured(3, 1),
    "DL201": Measured(45, 44),
    "DL202": Measured(23, 23),
    "DL203": Measured(1, 0),
    "DL204": Measured(43, 42),
    "DL205": Measured(24, 21),
    "DL206": Measured(7, 6),
    "DL207": Measured(7, 7),
    "DL208": Measured(13, 12),
    "DL209": Measured(2, 2),
    "DL301": Measured(21, 21),
    "DL302": Measured(1, 0),
    "DL303": Measured(2, 2),
    "DL304": Measured(11, 11),
    "DL306": Measured(87, 82),
    "DL307": Measured(1, 1),
    "DL308": Measured(3, 3),
    "DL402": Measured(11, 11),
    "DL404": Measured(1, 0),
    "DL406": Measured(2, 2),
}
"""By code. No finding there was read of the rules that are not listed."""
