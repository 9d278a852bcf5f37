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
    "DL101": Measured(231, 84),
    "DL102": Measured(201, 107),
    "DL103": Measured(44, 19),
    "DL104": Measured(26, 18),
    "DL105": Measured(30, 30),
    "DL106": Measured(105, 46),
    "DL107": Measured(219, 69),
    "DL108": Measured(55, 7),
    "DL109": Measured(1, 1),
    "DL110": Measured(7, 2),
    "DL111": Measured(5, 0),
    "DL112": Measured(73, 27),
    "DL113": Measured(5, 2),
    "DL201": Measured(144, 133),
    "DL202": Measured(76, 73),
    "DL203": Measured(3, 1),
    "DL204": Measured(108, 106),
    "DL205": Measured(148, 140),
    "DL206": Measured(40, 35),
    "DL207": Measured(22, 22),
    "DL208": Measured(27, 23),
    "DL209": Measured(7, 4),
    "DL301": Measured(52, 52),
    "DL302": Measured(4, 0),
    "DL303": Measured(7, 7),
    "DL304": Measured(52, 50),
    "DL306": Measured(176, 161),
    "DL307": Measured(13, 13),
    "DL308": Measured(25, 18),
    "DL402": Measured(32, 30),
    "DL404": Measured(3, 1),
    "DL406": Measured(14, 14),
    "DL418": Measured(12, 8),
}
"""By code. No finding there was read of the rules that are not listed."""
