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
    "DL101": Measured(161, 73),
    "DL102": Measured(167, 93),
    "DL103": Measured(29, 7),
    "DL104": Measured(23, 15),
    "DL105": Measured(22, 22),
    "DL106": Measured(88, 41),
    "DL107": Measured(165, 49),
    "DL108": Measured(33, 6),
    "DL109": Measured(1, 1),
    "DL110": Measured(7, 2),
    "DL111": Measured(5, 0),
    "DL112": Measured(66, 20),
    "DL113": Measured(3, 1),
    "DL201": Measured(54, 51),
    "DL202": Measured(39, 37),
    "DL203": Measured(1, 0),
    "DL204": Measured(52, 51),
    "DL205": Measured(29, 25),
    "DL206": Measured(15, 11),
    "DL207": Measured(10, 10),
    "DL208": Measured(14, 12),
    "DL209": Measured(3, 2),
    "DL301": Measured(34, 34),
    "DL302": Measured(1, 0),
    "DL303": Measured(3, 3),
    "DL304": Measured(17, 17),
    "DL306": Measured(109, 104),
    "DL307": Measured(1, 1),
    "DL308": Measured(4, 4),
    "DL402": Measured(14, 14),
    "DL404": Measured(1, 0),
    "DL406": Measured(2, 2),
    "DL418": Measured(1, 0),
}
"""By code. No finding there was read of the rules that are not listed."""
