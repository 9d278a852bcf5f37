"""Keys of dicts that are not all known."""

from __future__ import annotations

from devlint.model.value import value
from devlint.source.machine.domain.values import Object, Scalar


@value
class KeyOf(Scalar):
    """A key that iteration over a dict yields, if its keys are not all known."""

    of: frozenset[Object] = frozenset()
    """The dicts, any of which it may be."""
