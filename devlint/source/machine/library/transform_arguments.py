"""Arguments of a forward that are most likely no tensors: by the module, and what it does with them."""

from __future__ import annotations

from devlint.source import ir
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.values import Top, Value, alternatives
from devlint.source.machine.heap.files import Function
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.objects import Instance
from devlint.source.machine.modules.registration import is_forward
from devlint.source.machine.modules.state import children, module_of, placement
from devlint.source.walk import once_a_node, walk

_ARRAYS = frozenset({"numpy.array", "numpy.asanyarray", "numpy.asarray", "numpy.ascontiguousarray"})


def may_be_picture(name: str, call: Call, held: Value) -> bool:
    """Whether a module that nobody has to move makes an array of its argument first of all: transforms of
    pictures do, which are on the host, and a tensor would have been asked for `numpy()`."""
    function = call.frame.function
    if name not in _ARRAYS or not isinstance(held, Input) or function is None or not is_forward(function):
        return False
    if held.given_to != function.identity or not _is_first_use(function, call):
        return False
    receiver = call.frame.scope.look_up(function.node.parameters[0].name)
    module = None if receiver is None else module_of(receiver)
    return module is not None and _is_stateless(module)


def _is_stateless(module: Instance) -> bool:
    """Whether a module has nothing that a move would reach."""
    unknown = any(
        isinstance(each, (Input, Top)) for held in module.cells.values() for each in alternatives(held)
    )
    return not unknown and placement(module) is None and next(children(module), None) is None


def _is_first_use(function: Function, call: Call) -> bool:
    match call.node:
        case ir.CallExpression(arguments=(ir.Argument(value=ir.Name() as given), *_)):
            return _first_uses(function.node).get(given.name) == given.id
        case _:
            return False


@once_a_node
def _first_uses(definition: ir.FunctionDef | ir.Lambda) -> dict[str, int]:
    """The first place in the text of a function where each name is read."""
    body = definition.body if isinstance(definition.body, tuple) else (definition.body,)
    nodes = list(walk(body, into_scopes=True))
    written = {target.id for each in nodes if isinstance(each, ir.Assign) for target in each.targets}
    found: dict[str, int] = {}
    for each in nodes:
        if isinstance(each, ir.Name) and each.id not in written:
            found[each.name] = min(each.id, found.get(each.name, each.id))
    return found
