"""How often a rule was right on real code: findings read by hand, see docs/accuracy.md."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measured:
    """Findings on released packages that were read by hand, and how many of them were worth a fix."""

    read: int
    accepted: int

    def __str__(self) -> str:
        findings = "finding" if self.read == 1 else "findings"
        were = "was" if self.accepted == 1 else "were"
        return f"{self.accepted} of {self.read} {findings} read on released packages {were} worth a fix"


MEASURED = {
    "DL101": Measured(1, 1),
    "DL102": Measured(14, 14),
    "DL104": Measured(1, 1),
    "DL107": Measured(1, 1),
    "DL201": Measured(20, 10),
    "DL202": Measured(20, 5),
    "DL203": Measured(5, 5),
    "DL204": Measured(16, 2),
    "DL205": Measured(20, 1),
    "DL206": Measured(1, 0),
    "DL207": Measured(9, 5),
    "DL208": Measured(20, 16),
    "DL301": Measured(50, 49),
    "DL303": Measured(3, 0),
    "DL306": Measured(20, 5),
    "DL401": Measured(20, 1),
    "DL402": Measured(20, 2),
    "DL406": Measured(3, 3),
    "DL410": Measured(20, 7),
    "DL416": Measured(1, 0),
}
"""By code. A rule that is not listed found nothing there, or is about no event."""
