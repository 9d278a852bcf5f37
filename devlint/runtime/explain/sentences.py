"""Sentences of notes about operands, modules and places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from devlint.model import Concrete, Operand, OriginStep, RegistrationKind, Step
from devlint.rules import wording
from devlint.runtime.explain.modules import ModuleAttribute, ModuleFacts
from devlint.runtime.places.sites import NOWHERE_SITE, Sites

MAX_NAMES = 4
"""Of a longer list of parameters, so many are named and the rest is counted."""


def history(operand: Operand, sites: Sites) -> str:
    """The device of an operand, where it was created, and where it was last moved."""
    steps = [_step_text(operand, step, sites) for step in _creation_and_last_move(operand.origin.steps)]
    where = wording.is_on(operand)
    derived = "computed from what was " if operand.origin.is_derived else ""
    return f"{where}: {derived}{', '.join(steps)}" if steps else where


def keeping(operand: Operand, kept: ModuleAttribute) -> str:
    """The module that holds an operand, and whether that module's `.to()` moves it."""
    which = f"{wording.code(kept.attribute)} of {wording.code(kept.owner)} ({wording.code(kept.owner_class)})"
    if kept.kind is RegistrationKind.PLAIN_TENSOR:
        said = f"it is {which}, neither parameter nor buffer: `.to()` does not reach it"
    elif kept.reached:
        said = f"it is {kept.kind.value} {which}"
    else:
        said = f"it is {kept.kind.value} {which}, a module that is not registered: `.to()` does not reach it"
    return said if kept.device == operand.device else f"{said} (which is on {kept.device})"


def about_module(module: ModuleFacts, *, unreached: bool) -> Iterator[str]:
    """The devices of a module's parameters and buffers; with `unreached`, also the tensors that `.to()` does
    not move."""
    name = wording.code(module.name)
    if module.on_other_devices:
        others = _by_device(module.on_other_devices)
        yield f"{name} is on several devices: {_count(module)} on {module.device}; {others}"
    else:
        yield f"all of {name} is on {module.device}: {_count(module)}"
    if unreached and module.unreached:
        yield f"`.to()` does not reach {_by_device(module.unreached)}: neither parameters nor buffers"
    for container in module.containers if unreached else ():
        yield f"`.to()` does not reach the modules in {wording.code(container.path)}, a plain container"


def _creation_and_last_move(steps: Sequence[OriginStep]) -> list[OriginStep]:
    """The steps in which the tensor was created and last moved."""
    made = next((step for step in steps if step.step is Step.MADE), None)
    moved = next((step for step in reversed(steps) if step.step is Step.MOVED), None)
    return [step for step in (made, moved) if step is not None]


def _step_text(operand: Operand, step: OriginStep, sites: Sites) -> str:
    verb = "created" if step.step is Step.MADE else "moved"
    if step.device == operand.device:
        where = "there"
    else:
        where = f"{'on' if step.step is Step.MADE else 'to'} {step.device}"
    default = " (no device given)" if step.step is Step.MADE and step.implicit else ""
    if step.site == NOWHERE_SITE:
        at = ""
    else:
        site = sites.site(step.site)
        at = f" at {site.path}:{site.line}:{site.column}"
    return f"{verb} {where} by {wording.operator(step.operator)}{default}{at}"


def _count(module: ModuleFacts) -> str:
    counts = ((module.parameters, "parameter"), (module.buffers, "buffer"))
    return " and ".join(f"{count} {name}{'s' * (count != 1)}" for count, name in counts if count)


def _by_device(kept: Iterable[ModuleAttribute]) -> str:
    """`head.weight`, `head.bias` on cpu; `scale` on cuda:1."""
    by_device: dict[Concrete | None, list[str]] = {}
    for each in kept:
        by_device.setdefault(each.device, []).append(each.path)
    return "; ".join(f"{_names(paths)} on {device}" for device, paths in by_device.items())


def _names(paths: Sequence[str]) -> str:
    named = ", ".join(wording.code(path) for path in paths[:MAX_NAMES])
    more = len(paths) - MAX_NAMES
    return f"{named} and {more} more" if more > 0 else named
