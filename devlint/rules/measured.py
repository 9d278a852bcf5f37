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
    "DL101": Measured(236, 84),
    "DL102": Measured(204, 108),
    "DL103": Measured(44, 19),
    "DL104": Measured(26, 18),
    "DL105": Measured(30, 30),
    "DL106": Measured(111, 46),
    "DL107": Measured(219, 69),
    "DL108": Measured(55, 7),
    "DL109": Measured(1, 1),
    "DL110": Measured(7, 2),
    "DL111": Measured(5, 0),
    "DL112": Measured(73, 27),
    "DL113": Measured(5, 2),
    "DL201": Measured(164, 150),
    "DL202": Measured(80, 77),
    "DL203": Measured(5, 1),
    "DL204": Measured(116, 114),
    "DL205": Measured(159, 150),
    "DL206": Measured(41, 35),
    "DL207": Measured(29, 29),
    "DL208": Measured(29, 25),
    "DL209": Measured(8, 5),
    "DL301": Measured(64, 63),
    "DL302": Measured(5, 1),
    "DL303": Measured(7, 7),
    "DL304": Measured(64, 62),
    "DL306": Measured(185, 167),
    "DL307": Measured(16, 16),
    "DL308": Measured(26, 19),
    "DL402": Measured(36, 34),
    "DL404": Measured(3, 1),
    "DL406": Measured(14, 14),
    "DL418": Measured(14, 10),
}
"""By code. No finding there was read of the rules that are not listed."""
