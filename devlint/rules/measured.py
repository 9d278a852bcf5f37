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
    "DL101": Measured(73, 29),
    "DL102": Measured(99, 55),
    "DL103": Measured(15, 5),
    "DL104": Measured(13, 6),
    "DL105": Measured(11, 11),
    "DL106": Measured(24, 12),
    "DL107": Measured(89, 30),
    "DL108": Measured(21, 4),
    "DL109": Measured(1, 1),
    "DL110": Measured(5, 2),
    "DL111": Measured(5, 0),
    "DL112": Measured(53, 15),
    "DL113": Measured(3, 1),
    "DL201": Measured(10, 10),
    "DL202": Measured(9, 9),
    "DL204": Measured(9, 8),
    "DL205": Measured(8, 5),
    "DL207": Measured(2, 2),
    "DL208": Measured(2, 2),
    "DL301": Measured(5, 5),
    "DL302": Measured(1, 0),
    "DL304": Measured(3, 3),
    "DL306": Measured(10, 8),
    "DL308": Measured(1, 1),
}
"""By code. Rules that are not listed had no finding there that was read."""
