"""The cause of a mismatch: the owner that created the operand that is not on the device."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import FrameType
from typing import Any

from torch import Tensor

from devlint.errors import ErrorKind, recognise
from devlint.runtime.explain import text_of
from devlint.runtime.lift.owners import Owner, Owners
from devlint.runtime.places.sites import Sites
from devlint.simulation.labels import label_of
from devlint.tensors.provenance import origin_of


class Faults:
    """Distinguishes mistakes of a library from effects of lifting, and records the latter."""

    def __init__(self, owners: Owners, sites: Sites) -> None:
        self._owners = owners
        self._sites = sites
        self._reasons: dict[str, None] = {}
        self._excused: Counter[tuple[str, int]] = Counter()

    def take_reasons(self) -> list[str]:
        """Why the last test could not be lifted completely. Clears the reasons."""
        reasons = list(self._reasons)
        self._reasons.clear()
        return reasons

    def take_excused(self) -> Counter[tuple[str, int]]:
        """How often lines of the library, by file and number, were excused. Clears the counts."""
        excused, self._excused = self._excused, Counter()
        return excused

    def note_excused(self, frame: FrameType) -> None:
        """Record that the current line of a frame mixes devices without being at fault, or creates a tensor
        on the device because it got that device."""
        self._excused[frame.f_code.co_filename, frame.f_lineno] += 1

    def excuse(self, error: Exception, owner: Owner, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
        """Whether a mismatch in code of the library, or of a third party, is not the library's mistake."""
        recognised = recognise(text_of(error))
        kind = None if recognised is None else recognised.kind
        operands = list(tensors((*args, *kwargs.values())))
        if kind is ErrorKind.GENERATOR:
            return True  # the author of a test would have created the generator where the library needs it
        if kind is ErrorKind.HOST_ARGUMENT:
            lifted = [tensor for tensor in operands if label_of(tensor) is not None]
            return self._is_of_test(lifted, "must be on the host for the function that gets it")
        host = [tensor for tensor in operands if label_of(tensor) is None]
        if owner is Owner.THIRD_PARTY:
            return not any(self._maker(tensor) is Owner.LIBRARY for tensor in host)
        return self._is_of_test(host, "was left on the host")

    def _is_of_test(self, tensors: Iterable[Tensor], what: str) -> bool:
        for tensor in tensors:
            if self._maker(tensor) is Owner.TEST:
                self._reasons[f"what {self._made_at(tensor)} created {what}"] = None
                return True
        return False

    def _maker(self, tensor: Tensor) -> Owner | None:
        """The owner of the code that created a tensor; None if unknown."""
        first = origin_of(tensor).first
        return None if first is None else self._owners.of_file(self._sites.filename(first.site))

    def _made_at(self, tensor: Tensor) -> str:
        first = origin_of(tensor).first
        if first is None:
            return "a test"
        site = self._sites.site(first.site)
        return f"{site.path}:{site.line}"


def tensors(values: Iterable[Any]) -> Iterator[Tensor]:
    """The tensors among some values, and in lists and tuples among them."""
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from (each for each in value if isinstance(each, Tensor))
