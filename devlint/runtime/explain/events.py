"""A failing call as the rules judge it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from devlint.model import UNKNOWN, Certainty, Kind, Operand, Operation, Registration, SiteId
from devlint.runtime.explain.call import Call
from devlint.runtime.sites import Sites


def events_of(call: Call, sites: Sites) -> Iterator[tuple[Operation | Registration, Call]]:
    """What may be said of a failing call, the nearest to the cause first, each with the call it is about.

    That is a module that nothing has moved, since its owner does not know of it; then the program's own call
    of a module, inside which torch's call failed; then that call itself.
    """
    if call.container is not None:
        kept = call.container
        operand = Operand(kept.path, call.site, UNKNOWN, Kind.CONTAINER)
        seen = (call.site, None, Certainty.SEEN)
        yield Registration(*seen, kept.owner_class, kept.attribute, kept.kind, operand), call
    for each in (call.around, call):
        if each is not None and each.operands:
            operands = tuple(
                replace(operand, site=sites.part(each.site, operand.path))
                for operand in _anchored(each.operands, sites)
            )
            yield Operation(each.site, None, Certainty.SEEN, each.operator, operands), each


def _anchored(operands: tuple[Operand, ...], sites: Sites) -> tuple[Operand, ...]:
    """The operands, with the expressions for their devices only if these hold where a stray one was made."""
    for operand in operands:
        made = operand.origin.made()
        if (
            made is not None
            and made.implicit
            and _function(made.site, sites) != _function(operand.site, sites)
        ):
            return tuple(replace(each, anchor="") for each in operands)
    return operands


def _function(site: SiteId, sites: Sites) -> tuple[str, str]:
    place = sites.site(site)
    return place.path, place.function
