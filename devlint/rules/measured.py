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
    "DL101": Measured(191, 82),
    "DL102": Measured(181, 97),
    "DL103": Measured(39, 16),
    "DL104": Measured(25, 17),
    "DL105": Measured(30, 30),
    "DL106": Measured(99, 46),
    "DL107": Measured(190, 66),
    "DL108": Measured(33, 6),
    "DL109": Measured(1, 1),
    "DL110": Measured(7, 2),
    "DL111": Measured(5, 0),
    "DL112": Measured(66, 20),
    "DL113": Measured(3, 1),
    "DL201": Measured(76, 69),
    "DL202": Measured(53, 51),
    "DL203": Measured(2, 0),
    "DL204": Measured(66, 64),
    "DL205": Measured(64, 60),
    "DL206": Measured(20, 16),
    "DL207": Measured(10, 10),
    "DL208": Measured(20, 17),
    "DL209": Measured(5, 4),
    "DL301": Measured(39, 39),
    "DL302": Measured(3, 0),
    "DL303": Measured(4, 4),
    "DL304": Measured(24, 24),
    "DL306": Measured(126, 117),
    "DL307": Measured(3, 3),
    "DL308": Measured(7, 7),
    "DL402": Measured(22, 22),
    "DL404": Measured(1, 0),
    "DL406": Measured(4, 4),
    "DL418": Measured(9, 6),
}
"""By code. No finding there was read of the rules that are not listed."""
