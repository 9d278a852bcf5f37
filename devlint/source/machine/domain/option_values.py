"""The values of command line options, which a user may override."""

from __future__ import annotations

from devlint.model.value import value
from devlint.source.machine.domain.values import NONE, Known, Scalar


@value
class Option(Known):
    """The default of an option."""

    key: str = ""


@value
class OmittedOption(Known):
    """None as the value of an option that is not given. It equals every other None."""

    key: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Known) and other.value is None

    def __hash__(self) -> int:
        return hash(NONE)

    @property
    def given(self) -> Scalar:
        """Whether it is given, which is constant during a run."""
        return Scalar("bool", flag=f"given {self.key}")


@value
class GivenText(Scalar):
    """An option that is given, as a text other than its default. It is one of those with which the program
    compares it, and the same one throughout a run."""

    option: str = ""
    default: str = ""
