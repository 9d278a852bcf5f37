"""Tests whether there is an accelerator, and uses of one without such a test."""

from __future__ import annotations

from devlint.model import Setting, SettingKind, SiteId
from devlint.source.machine.domain.values import NoAccelerator, Scalar, Value, changed
from devlint.source.machine.heap.machine import Machine


def asks(test: Value) -> bool:
    """Whether a test asks for an accelerator, or for the absence of one."""
    return isinstance(test, NoAccelerator) or (isinstance(test, Scalar) and test.availability)


def asked(machine: Machine, test: Value, site: SiteId, *, goes_on: bool, chooses: bool = False) -> None:
    """Record that the program tests for an accelerator, whether it continues without one, and whether it then
    chooses another device."""
    facts = machine.process.facts
    if not asks(test) or machine.guarded:
        return
    if not goes_on:
        facts.needs_accelerator = True
    elif facts.questions:
        facts.asked = site if facts.asked is None else facts.asked
        if chooses and facts.fallback is None and not machine.execution.hypothesis:
            facts.fallback = site


def note_hard_coded(machine: Machine, site: SiteId, spelling: str) -> None:
    """Record a fixed accelerator type outside of branches that test for one."""
    facts = machine.process.facts
    if machine.guarded:
        if facts.fallback is None and not machine.execution.hypothesis:
            facts.fallback = facts.asked
        return
    machine.setting(SettingKind.HARD_CODED, site, spelling)
    unconditional = not (machine.optional or machine.world or machine.execution.hypothesis)
    if unconditional and machine.asks_for(SettingKind.BESIDE_FALLBACK):
        event = Setting(site, None, machine.root_confidence, SettingKind.BESIDE_FALLBACK, spelling)
        facts.hard_coded.append(event)


def settle(machine: Machine) -> None:
    """Record accelerators that a program uses without a test, though it continues without one elsewhere."""
    facts = machine.process.facts
    if facts.fallback is None or facts.needs_accelerator:
        return
    for event in facts.hard_coded:
        machine.note(changed(event, related=facts.fallback))
