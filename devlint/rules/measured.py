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
    "DL101": Measured(184, 82),
    "DL102": Measured(177, 97),
    "DL103": Measured(29, 7),
    "DL104": Measured(25, 17),
    "DL105": Measured(26, 26),
    "DL106": Measured(93, 42),
    "DL107": Measured(172, 56),
    "DL108": Measured(33, 6),
    "DL109": Measured(1, 1),
    "DL110": Measured(7, 2),
    "DL111": Measured(5, 0),
    "DL112": Measured(66, 20),
    "DL113": Measured(3, 1),
    "DL201": Measured(69, 64),
    "DL202": Measured(45, 43),
    "DL203": Measured(2, 0),
    "DL204": Measured(60, 59),
    "DL205": Measured(37, 33),
    "DL206": Measured(17, 13),
    "DL207": Measured(10, 10),
    "DL208": Measured(16, 13),
    "DL209": Measured(4, 3),
    "DL301": Measured(38, 38),
    "DL302": Measured(1, 0),
    "DL303": Measured(4, 4),
    "DL304": Measured(21, 21),
    "DL306": Measured(114, 108),
    "DL307": Measured(2, 2),
    "DL308": Measured(5, 5),
    "DL402": Measured(19, 19),
    "DL404": Measured(1, 0),
    "DL406": Measured(4, 4),
    "DL418": Measured(2, 0),
}
"""By code. No finding there was read of the rules that are not listed."""
