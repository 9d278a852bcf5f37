"""`torch.func`: gradients and maps of functions, and modules that are called with other parameters."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.serials import new_serial
from devlint.source.machine.domain.tensors import tensor_of
from devlint.source.machine.domain.values import NONE, TOP, Known, Reference, Tensor, Value, changed
from devlint.source.machine.heap.frames import Call, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.library.handlers import Handler
from devlint.source.machine.modules.state import copied, module_of, place, tensors
from devlint.source.machine.operators import accelerator

_FUNC = "torch.func."
_GRADIENTS = frozenset(f"{_FUNC}{name}" for name in ("grad", "hessian", "jacfwd", "jacrev"))
_WITH_VALUE = f"{_FUNC}grad_and_value"
_MAPS = frozenset({f"{_FUNC}vmap", "torch.vmap"})
TRANSFORMED = _GRADIENTS | _MAPS | {_WITH_VALUE}
"""The functions that return another function of the same arguments."""


def _transform(name: str) -> Handler:
    def call_it(machine: Machine, call: Call) -> Value:
        made = Instance(name, call.site)
        for at, each in enumerate(call.passed):
            made.arguments[each.keyword or str(at)] = each.value
        return machine.adopt(made)

    return call_it


def call_transformed(machine: Machine, transformed: Instance, call: Call) -> Value:
    """The result of a transformed function, which executes the original one."""
    name, stated = transformed.class_name, transformed.arguments
    function = stated.get("0", stated.get("func", TOP))
    if name in _MAPS:
        of_one = [_of_one(each, at, stated) for at, each in enumerate(call.passed)]
        return _of_all(machine, machine.call(function, call.passing(of_one)))
    value = machine.call(function, call)
    accelerator.train(machine)
    position = stated.get("argnums", stated.get("1", Known(0)))
    at = position.value if isinstance(position, Known) else None
    inputs = [each.value for each in call.passed if not each.keyword]
    if not isinstance(at, int) or not 0 <= at < len(inputs):
        return TOP
    gradient = _like(machine, inputs[at])
    return machine.adopt(Container("tuple", [gradient, value])) if name == _WITH_VALUE else gradient


def _like(machine: Machine, held: Value) -> Value:
    """A gradient: a tensor, or a collection of tensors, where those of the argument lie."""
    if isinstance(held, Reference) and isinstance(held.target, Container):
        twin = Container(held.target.kind)
        twin.cells = {key: _like(machine, each) for key, each in held.target.cells.items()}
        return machine.adopt(twin)
    tensor = tensor_of(held)
    if tensor is None:
        return TOP
    return changed(tensor, role="", attribute="", left_behind=False, serial=new_serial())


def _of_one(passed: Passed, at: int, stated: dict[str, Value]) -> Passed:
    """An argument of the mapped function: one of the rows, unless it is passed as it is."""
    dimensions = stated.get("in_dims", stated.get("1", Known(0)))
    if isinstance(dimensions, Reference) and isinstance(dimensions.target, Container):
        dimensions = dimensions.target.cells.get(at, TOP)
    if dimensions == NONE or not isinstance(passed.value, Tensor):
        return passed
    row = passed.value.shape[1:] if passed.value.shape and dimensions == Known(0) else None
    return passed._replace(value=changed(passed.value, rank0=False if row else None, shape=row or None))


def _of_all(machine: Machine, held: Value) -> Value:
    """The results for all rows, stacked: a tensor, or a collection of tensors."""
    if isinstance(held, Reference) and isinstance(held.target, Container):
        made = Container(held.target.kind)
        made.cells = {key: _of_all(machine, each) for key, each in held.target.cells.items()}
        return machine.adopt(made)
    return changed(held, rank0=False, shape=None) if isinstance(held, Tensor) else held


def _stack_module_state(machine: Machine, call: Call) -> Value:
    """`stack_module_state(modules)`: a dict of stacked parameters and one of stacked buffers."""
    given = call.value("models", 0)
    first = (
        given.target.items[:1] if isinstance(given, Reference) and isinstance(given.target, Container) else []
    )
    module = module_of(first[0]) if first else None
    if module is None:
        return TOP
    known = tensors(module)
    parameters = [each for each in known if each.role != "buffer"]
    buffers = [each for each in known if each.role == "buffer"]
    return machine.adopt(Container("tuple", [_stacked(machine, each) for each in (parameters, buffers)]))


def _stacked(machine: Machine, held: Sequence[Tensor]) -> Value:
    rows = [
        changed(each, role="", attribute="", rank0=False, shape=None, serial=new_serial()) for each in held
    ]
    return machine.adopt(Container("dict", element=join_all(rows) if rows else None))


def _functional_call(machine: Machine, call: Call) -> Value:
    """`functional_call(module, parameters, args)` calls a module with other parameters and buffers."""
    given = call.value("module", 0)
    module = None if given is None else module_of(given)
    if module is None:
        return TOP
    twin = copied(machine, Reference(module), call.site)
    assert isinstance(twin, Reference)
    state = _any_tensor(call.value("parameter_and_buffer_dicts", 1))
    if state is not None and isinstance(twin.target, Instance):
        place(machine, twin.target, state.device, state.confidence)
    return machine.call(twin, call.passing([*_positional(call), *_named(call)]))


def _any_tensor(held: Value | None) -> Tensor | None:
    """A tensor that stands for those of a dict, or of a sequence of dicts."""
    if not isinstance(held, Reference) or not isinstance(held.target, Container):
        return None
    values: Sequence[Value] = list(held.target.cells.values())
    if held.target.kind != "dict":
        return next((found for each in values if (found := _any_tensor(each)) is not None), None)
    return tensor_of(join_all(values)) if values else None


def _positional(call: Call) -> list[Passed]:
    passed = call.argument("args", 2)
    if passed is None:
        return []
    if isinstance(passed.value, Reference) and isinstance(passed.value.target, Container):
        return [passed._replace(value=each, keyword="") for each in passed.value.target.items]
    return [passed._replace(keyword="")]


def _named(call: Call) -> list[Passed]:
    passed = call.argument("kwargs", 3)
    if passed is None or not isinstance(passed.value, Reference):
        return []
    held = passed.value.target
    if not isinstance(held, Container) or held.kind != "dict":
        return []
    return [
        passed._replace(value=each, keyword=key) for key, each in held.cells.items() if isinstance(key, str)
    ]


FUNCTIONAL: dict[str, Handler] = {
    **{name: _transform(name) for name in TRANSFORMED},
    f"{_FUNC}functional_call": _functional_call,
    f"{_FUNC}stack_module_state": _stack_module_state,
    "torch.nn.utils.stateless.functional_call": _functional_call,
}
"""The functions, by canonical name."""
