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
    "DL101": Measured(278, 93),
    "DL102": Measured(296, 179),
    "DL103": Measured(62, 23),
    "DL104": Measured(31, 21),
    "DL105": Measured(36, 36),
    "DL106": Measured(154, 52),
    "DL107": Measured(256, 75),
    "DL108": Measured(82, 9),
    "DL109": Measured(1, 1),
    "DL110": Measured(11, 6),
    "DL111": Measured(5, 0),
    "DL112": Measured(77, 31),
    "DL113": Measured(6, 2),
    "DL201": Measured(269, 249),
    "DL202": Measured(127, 120),
    "DL203": Measured(8, 2),
    "DL204": Measured(152, 150),
    "DL205": Measured(227, 211),
    "DL206": Measured(49, 43),
    "DL207": Measured(39, 36),
    "DL208": Measured(41, 36),
    "DL209": Measured(10, 7),
    "DL301": Measured(102, 99),
    "DL302": Measured(8, 2),
    "DL303": Measured(12, 11),
    "DL304": Measured(114, 112),
    "DL306": Measured(224, 199),
    "DL307": Measured(20, 20),
    "DL308": Measured(39, 32),
    "DL402": Measured(44, 42),
    "DL404": Measured(5, 1),
    "DL406": Measured(34, 34),
    "DL418": Measured(24, 19),
}
"""By code. No finding there was read of the rules that are not listed."""
