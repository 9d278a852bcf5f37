"""The failed call as events, and what the rules report for them."""

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


class JudgedCall(NamedTuple):
    """What a rule reports for a failed call."""

    event: Operation | Registration
    draft: Draft
    call: FailedCall
    """The call to which the draft refers."""


def judge_call(code: str, call: FailedCall, sites: Sites) -> JudgedCall | None:
    """The first event with a draft. If several rules report it, the rule with this code is preferred."""
    for event, subject in events_of(call, sites):
        drafts = judge([event], _rules())
        if drafts:
            return JudgedCall(
                event, next((draft for draft in drafts if draft.code == code), drafts[0]), subject
            )
    return None


@cache
def _rules() -> tuple[Rule[Any], ...]:
    """The rules of family DL1 that are on by default, and those for unregistered tensors and modules. Those
    are off by default because the check cannot know whether the tensor is used; here an error shows it."""
    family = (rule for rule in registry.all_rules() if rule.code.startswith("DL1"))
    return tuple(rule for rule in family if rule.enabled or rule.event is Registration)


def events_of(call: FailedCall, sites: Sites) -> Iterator[tuple[Operation | Registration, FailedCall]]:
    """The events of a failed call, each with the call that it refers to, the closest to the cause first.

    First comes a module that no `.to()` moved because it is not registered, then the program's call of the
    module in which torch's call failed, then that call.
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
    """The operands. Their device expressions are removed if one operand was created in another function,
    because a fix there could not use them."""
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
