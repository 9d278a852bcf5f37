"""A failing call as the rules judge it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

from devlint.model import UNKNOWN, Confidence, Draft, Kind, Operand, Operation, Registration, SiteId
from devlint.rules import registry
from devlint.rules.base import Rule
from devlint.rules.engine import judge
from devlint.runtime.explain.call import FailedCall
from devlint.runtime.places.sites import Sites


class Judged(NamedTuple):
    """What a rule says of a failing call."""

    event: Operation | Registration
    draft: Draft
    call: FailedCall
    """The call that it is about."""


def judged(code: str, call: FailedCall, sites: Sites) -> Judged | None:
    """What the rules say, of the first thing that they speak of; the rule of this code speaks first."""
    for event, told in events_of(call, sites):
        drafts = judge([event], _rules())
        if drafts:
            return Judged(event, next((draft for draft in drafts if draft.code == code), drafts[0]), told)
    return None


@cache
def _rules() -> tuple[Rule[Any], ...]:
    """The rules of family DL1 that are on by default, and those on what a module does not know of: where an
    error was raised, it is no question any more whether anybody meets it."""
    family = (rule for rule in registry.all_rules() if rule.code.startswith("DL1"))
    return tuple(rule for rule in family if rule.enabled or rule.event is Registration)


def events_of(call: FailedCall, sites: Sites) -> Iterator[tuple[Operation | Registration, FailedCall]]:
    """What may be said of a failing call, the nearest to the cause first, each with the call it is about.

    That is a module that nothing has moved, since its owner does not know of it; then the program's own call
    of a module, inside which torch's call failed; then that call itself.
    """
    if call.container is not None:
        kept = call.container
        operand = Operand(kept.path, call.site, UNKNOWN, Kind.CONTAINER)
        seen = (call.site, None, Confidence.SEEN)
        yield Registration(*seen, kept.owner_class, kept.attribute, kept.kind, operand), call
    for each in (call.around, call):
        if each is not None and each.operands:
            operands = tuple(
                replace(operand, site=sites.part(each.site, operand.path))
                for operand in _anchored(each.operands, sites)
            )
            yield Operation(each.site, None, Confidence.SEEN, each.operator, operands), each


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
