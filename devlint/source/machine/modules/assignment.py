"""Assignments to attributes of modules: parameters, buffers and modules are registered, others are not."""

from __future__ import annotations

from devlint.model import Confidence, OriginStep, SiteId, Step
from devlint.source.machine.domain.values import (
    EMPTY_BUFFER,
    NONE,
    TOP,
    EmptyBuffer,
    Reference,
    Tensor,
    Union,
    Value,
    alternatives,
    changed,
)
from devlint.source.machine.heap.classes import class_lookup
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.modules.state import PARAMETERS, is_module, module_of, modules
from devlint.source.machine.operators.evidence import call_identities

NEW_BUFFER = "new buffer"
"""The role of what `torch.nn.Buffer` returns, until it is assigned."""


def set_attribute(
    machine: Machine, module: Instance, name: str, held: Value, site: SiteId, value: SiteId
) -> None:
    """`module.name = held`: parameters and modules are registered, other tensors are not."""
    if held == NONE:
        held = NONE  # that it was an empty buffer, or an omitted argument, says nothing of this attribute
    if isinstance(held, Tensor):
        held = _kept(module, name, held, site, value)
    elif isinstance(held, Union):
        held = Union(
            tuple(
                _kept(module, name, each, site, value) if isinstance(each, Tensor) else each
                for each in held.alternatives
            )
        )
    elif isinstance(held, Reference):
        if isinstance(held.target, Container) and held.target.kept is None:
            held.target.kept = site
        else:
            note_registered(held)
    elif held == NONE and _is_buffer(module.cells.get(name, TOP)):
        held = EMPTY_BUFFER
    elif held == NONE and name == "weight" and PARAMETERS in module.cells:
        machine.store.write(module, PARAMETERS, None)  # they belong to another module from here on
    machine.store.write(module, name, held)


def rejects(owner: Value, name: str, held: Value) -> bool:
    """Whether `owner.name = held` raises a TypeError: a module takes no plain tensor for the name of a
    parameter (`Module.__setattr__`). What a conversion returns may be the parameter itself."""
    module = module_of(owner)
    if module is None or class_lookup(module.of, "__setattr__")[0] is not None:
        return False
    before = alternatives(module.cells.get(name, TOP))
    return all(isinstance(each, Tensor) and each.role == "parameter" for each in before) and all(
        isinstance(each, Tensor) and not each.role and each.confidence is not Confidence.POSSIBLE
        for each in alternatives(held)
    )


def add_part(machine: Machine, owner: Instance, key: object, held: Value) -> None:
    """Store a part of a module, which registers it, under its name or number; or an item of another object
    that the project does not define."""
    if is_module(owner) and not _is_made_here(machine, owner):
        note_registered(held)
    machine.store.write(owner, key, held)


def _is_made_here(machine: Machine, owner: Instance) -> bool:
    """Whether the running function has created a container of modules, which it drops at its end."""
    function = machine.frame.function
    return function is not None and owner.made - function.file.base in call_identities(function.node)


def note_registered(held: Value) -> None:
    """Record that a module becomes a part of another one, with all that it consists of: it is not dropped at
    the end of the call that has created it."""
    for each in alternatives(held):
        module = module_of(each)
        for part in () if module is None else modules(module):
            part.left_out = None


def _is_buffer(held: Value) -> bool:
    """Whether an attribute is a buffer, or may be one."""
    return any(
        isinstance(each, EmptyBuffer) or (isinstance(each, Tensor) and each.role == "buffer")
        for each in alternatives(held)
    )


def _kept(module: Instance, name: str, held: Tensor, site: SiteId, value: SiteId) -> Tensor:
    if held.role == "parameter":
        return held
    if held.role == NEW_BUFFER:
        return changed(held, role="buffer", attribute="")
    if _is_buffer(module.cells.get(name, TOP)):
        return changed(held, role="buffer", attribute="")
    # `register_buffer` rejects the name of an attribute of the class or of the object.
    is_free = class_lookup(module.of, name)[0] is None and name not in module.cells
    step = OriginStep(Step.ATTRIBUTE, site, held.device, name, value=value if is_free else None)
    return changed(held, role="", attribute=name, origin=held.origin.then(step), left_behind=False)
