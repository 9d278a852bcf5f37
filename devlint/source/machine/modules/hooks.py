"""Functions that a module calls before and after its forward (`torch/nn/modules/module.py`, `_call_impl`)."""

from __future__ import annotations

from devlint.source.machine.domain.values import NONE, TOP, TRUE, Reference, Value
from devlint.source.machine.heap.frames import Call, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container, Instance

KEYS: dict[str, object] = {
    "register_forward_pre_hook": ("hooks before",),
    "register_forward_hook": ("hooks after",),
}
"""The cells of a module with its hooks, by the methods that register them. No attribute has such a key."""
_BEFORE, _AFTER = KEYS.values()


def register(machine: Machine, module: Instance, name: str, call: Call) -> Value:
    """`module.register_forward_hook(hook)`. Hooks that receive keyword arguments are not followed."""
    hook = call.value("hook", 0)
    if hook is not None and call.value("with_kwargs") != TRUE:
        hooks = [*_hooks(module, KEYS[name]), hook]
        machine.store.write(module, KEYS[name], machine.adopt(Container("list", hooks)))
    return TOP


def call_before(machine: Machine, module: Instance, callee: Value, call: Call) -> None:
    """Call the hooks that receive a module's inputs."""
    for hook in _hooks(module, _BEFORE):
        machine.call(hook, call.passing(_hook_arguments(machine, callee, call)))


def call_after(machine: Machine, module: Instance, callee: Value, call: Call, result: Value) -> Value:
    """The result of a module after its forward hooks, each of which may replace it."""
    for hook in _hooks(module, _AFTER):
        output = Passed(result, call.node, call.site)
        returned = machine.call(hook, call.passing([*_hook_arguments(machine, callee, call), output]))
        result = result if returned in (NONE, TOP) else returned
    return result


def _hooks(module: Instance, key: object) -> list[Value]:
    held = module.cells.get(key)
    return held.target.items if isinstance(held, Reference) and isinstance(held.target, Container) else []


def _hook_arguments(machine: Machine, callee: Value, call: Call) -> list[Passed]:
    """The arguments of a hook: the module, and the positional arguments of its call."""
    inputs = machine.adopt(Container("tuple", [each.value for each in call.passed if not each.keyword]))
    return [Passed(each, call.node, call.site) for each in (callee, inputs)]
