"""How often a rule is right on released packages that were not used for development, see docs/accuracy.md."""

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
    "DL101": Measured(78, 30),
    "DL102": Measured(113, 57),
    "DL103": Measured(26, 5),
    "DL104": Measured(14, 6),
    "DL105": Measured(15, 15),
    "DL106": Measured(29, 17),
    "DL107": Measured(103, 38),
    "DL108": Measured(29, 4),
    "DL109": Measured(1, 1),
    "DL110": Measured(6, 2),
    "DL111": Measured(5, 0),
    "DL112": Measured(59, 17),
    "DL113": Measured(3, 1),
    "DL201": Measured(25, 24),
    "DL202": Measured(15, 15),
    "DL203": Measured(1, 0),
    "DL204": Measured(22, 21),
    "DL205": Measured(13, 10),
    "DL206": Measured(4, 3),
    "DL207": Measured(2, 2),
    "DL208": Measured(5, 5),
    "DL301": Measured(7, 7),
    "DL302": Measured(1, 0),
    "DL303": Measured(2, 2),
    "DL304": Measured(3, 3),
    "DL306": Measured(41, 37),
    "DL307": Measured(1, 1),
    "DL308": Measured(3, 3),
    "DL402": Measured(9, 9),
    "DL404": Measured(1, 0),
}
"""By code. Rules that are not listed had no finding there that was read."""
