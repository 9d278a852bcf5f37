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
    "DL101": Measured(273, 93),
    "DL102": Measured(285, 172),
    "DL103": Measured(59, 23),
    "DL104": Measured(31, 21),
    "DL105": Measured(36, 36),
    "DL106": Measured(147, 52),
    "DL107": Measured(255, 75),
    "DL108": Measured(80, 8),
    "DL109": Measured(1, 1),
    "DL110": Measured(9, 4),
    "DL111": Measured(5, 0),
    "DL112": Measured(76, 30),
    "DL113": Measured(6, 2),
    "DL201": Measured(244, 225),
    "DL202": Measured(116, 110),
    "DL203": Measured(7, 1),
    "DL204": Measured(141, 139),
    "DL205": Measured(220, 204),
    "DL206": Measured(48, 42),
    "DL207": Measured(38, 35),
    "DL208": Measured(37, 32),
    "DL209": Measured(9, 6),
    "DL301": Measured(97, 94),
    "DL302": Measured(8, 2),
    "DL303": Measured(12, 11),
    "DL304": Measured(109, 107),
    "DL306": Measured(216, 191),
    "DL307": Measured(20, 20),
    "DL308": Measured(38, 31),
    "DL402": Measured(44, 42),
    "DL404": Measured(5, 1),
    "DL406": Measured(34, 34),
    "DL418": Measured(20, 16),
}
"""By code. No finding there was read of the rules that are not listed."""
