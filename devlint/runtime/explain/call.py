"""The torch call that failed, as rules can judge it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch

from devlint.model import NOWHERE, Operand, Origin, SiteId
from devlint.runtime.sites import NOWHERE_SITE, Sites

OriginOf = Callable[[torch.Tensor], Origin]


@dataclass(frozen=True, slots=True)
class Call:
    """The failing torch call as the observer saw it. It holds names, devices and places, and no tensor."""

    operator: str
    """Canonical name; empty if unknown."""
    operands: tuple[Operand, ...]
    site: SiteId = NOWHERE_SITE


def call_of(
    error: BaseException,
    operator: str,
    args: Sequence[object],
    kwargs: Mapping[str, object],
    sites: Sites,
    origin_of: OriginOf = lambda _: NOWHERE,
) -> Call | None:
    """The call that raised; to be asked in the handler that caught the error, before it goes on.

    Never raises: None where devlint itself fails.
    """
    try:
        return Call(operator, (), sites.at(None))
    except Exception:
        return None
