"""What becomes of a tensor that a function makes, and what has become of one that NumPy reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from devlint.model import SiteId
from devlint.source import ir
from devlint.source.flow.state.frame import Frame
from devlint.source.flow.state.values import PARAMETER_MAKERS, Literal, Scalar
from devlint.source.flow.syntax.movers import MOVERS_BY_DEVICE
from devlint.source.walk import Node, bound_names, other_branches, path, taken_from, text, walk

_READERS = frozenset({"item", "tolist", "numpy", "__array__"})
"""Methods after which nothing is left on a device."""
_NUMBERS = frozenset({"float", "int", "bool"})
_MADE_OF_DATA = frozenset({"torch.tensor", "torch.as_tensor", "torch.asarray", "torch.scalar_tensor"})
_COLLECTIVES = frozenset(
    {"all_reduce", "all_gather", "all_gather_into_tensor", "reduce", "gather", "gather_for_metrics",
     "broadcast", "reduce_scatter", "reduce_scatter_tensor", "all_to_all"}
)  # fmt: skip
"""What processes do together, by the names that torch.distributed and the frameworks around it give it."""
_COPIES = frozenset({"copy_"})
"""Copies its argument from wherever that is."""


def is_settled(frame: Frame, made: SiteId) -> bool:
    """Whether a function says where a tensor goes that it makes.

    It moves it, copies it into another, or makes it part of a module's state, which moves with the module.
    Or it reads it in the same expression.
    """
    if not _settles(frame, made, frame.evidence.nodes):
        return False
    elsewhere = _other_branches(frame, made)
    if not elsewhere:
        return True
    return _settles(frame, made, [node for node in frame.evidence.nodes if id(node) not in elsewhere])


def _settles(frame: Frame, made: SiteId, nodes: Sequence[Node]) -> bool:
    """Whether some of what a function does says it."""
    names = _names_of(frame, made)
    is_made = False
    for node in nodes:
        is_made = is_made or (isinstance(node, ir.Call) and node.id == made)
        if isinstance(node, ir.If | ir.While | ir.Conditional) and _is_drawn(node.test, made):
            return True
        if isinstance(node, ir.Assign) and any(map(_is_slice, node.targets)) and _contains(node.value, made):
            return True
        if isinstance(node, ir.Call) and node.id != made:
            placed = _placed_by(frame, node)
            if any(_contains(taken, made) for taken in placed):
                return True
            if is_made and not _is_down(node) and any(_is_made_of(taken, names) for taken in placed):
                return True
            if any(_contains(taken, made) for taken in _read_by(node)):
                return True
    return False


def _other_branches(frame: Frame, made: SiteId) -> set[int]:
    """What stands in the other branch where one makes a tensor: it is about another of the same name."""
    others = other_branches(frame.evidence.nodes, lambda each: isinstance(each, ir.Call) and each.id == made)
    return {id(node) for other in others for node in walk(other, into_scopes=True)}


def is_added_to(frame: Frame, made: SiteId) -> bool:
    """Whether something is added to a tensor in place, which then has to lie there, single number or not."""
    names = _names_of(frame, made)
    return any(
        isinstance(node, ir.AugmentedAssign) and text(node.target) in names for node in frame.evidence.nodes
    )


def is_shared(frame: Frame, made: SiteId) -> bool:
    """Whether a tensor takes part in a collective, in which NCCL has tensors of accelerators alone."""
    calls = [
        node for node in frame.evidence.nodes if isinstance(node, ir.Call) and _is_collective(frame, node)
    ]
    given = [argument.value for call in calls for argument in call.arguments]
    return bool(given) and (
        any(_contains(each, made) for each in given)
        or not _names_of(frame, made).isdisjoint(map(text, given))
    )


def _is_made_of(expression: ir.Expression, names: set[str]) -> bool:
    """`torch.stack(parts)[0]` of `parts`."""
    return any(
        isinstance(node, ir.Name | ir.Attribute) and text(node) in names for node in walk([expression])
    )


def _is_down(call: ir.Call) -> bool:
    """`x.cpu()`, which would be idle if the function did not take `x` to be on a device."""
    return isinstance(call.function, ir.Attribute) and call.function.name == "cpu"


def _is_collective(frame: Frame, call: ir.Call) -> bool:
    name = path(call.function)
    last = name.rpartition(".")[2] or (call.function.name if isinstance(call.function, ir.Attribute) else "")
    if last not in _COLLECTIVES:
        return False
    return "." not in name or not frame.canonical(name) or frame.canonical(name).startswith("torch.dist")


def _names_of(frame: Frame, made: SiteId) -> set[str]:
    """What a function calls a tensor that it makes, a part of that, a list that it puts it into, and each
    element of it."""
    names: set[str] = set()
    for node in frame.evidence.nodes:
        if isinstance(node, ir.Assign):
            if text(_whole(node.value)) in names or _contains(node.value, made):
                names.update(map(text, node.targets))
        elif isinstance(node, ir.For | ir.Loop):
            if text(_whole(node.iterable)) in names or _contains(node.iterable, made):
                names.update(bound_names((node.target,)))
        elif isinstance(node, ir.Call) and _adds(node, made):
            assert isinstance(node.function, ir.Attribute)
            names.add(text(node.function.value))
    return names


def _adds(call: ir.Call, made: SiteId) -> bool:
    """`parts.append(torch.zeros(n))`."""
    if not isinstance(call.function, ir.Attribute) or call.function.name != "append":
        return False
    return any(_contains(argument.value, made) for argument in call.arguments)


def _placed_by(frame: Frame, call: ir.Call) -> Iterable[ir.Expression]:
    """What a call moves, copies or registers: its receiver, or its arguments."""
    given = [argument.value for argument in call.arguments]
    method = call.function.name if isinstance(call.function, ir.Attribute) else ""
    if method in _COPIES:
        return given
    if frame.canonical(path(call.function)) in PARAMETER_MAKERS or method in PARAMETER_MAKERS:
        return () if places_the_rest(frame) or _changes_other_module(frame) else given
    if isinstance(call.function, ir.Attribute) and method in MOVERS_BY_DEVICE and not _is_dtype(frame, given):
        return (call.function.value,)
    return ()


def places_the_rest(frame: Frame) -> bool:
    """Whether a function makes other tensors where it wants them: what it makes part of a module without a
    device is not moved later, or the others would not need theirs."""
    return any(
        argument.keyword == "device"
        and isinstance(argument.value, ir.Name | ir.Attribute)
        and frame.canonical(path(node.function)).startswith("torch.")
        for node in frame.evidence.nodes
        if isinstance(node, ir.Call)
        for argument in node.arguments
    )


def _changes_other_module(frame: Frame) -> bool:
    """Whether a function that belongs to no module asks where something lies: what it gives to a module then
    has to lie there, too, since the module has been moved."""
    if frame.info is not None and (frame.info.is_module or frame.info.unknown_base):
        return False
    return any(isinstance(node, ir.Attribute) and node.name == "device" for node in frame.evidence.nodes)


def _read_by(call: ir.Call) -> Iterable[ir.Expression]:
    """What a call reads on the host."""
    if isinstance(call.function, ir.Attribute):
        return (call.function.value,) if call.function.name in _READERS else ()
    return [argument.value for argument in call.arguments] if path(call.function) in _NUMBERS else ()


def _is_slice(target: ir.Expression) -> bool:
    """`x[:, 0]`, into which a tensor is copied from wherever it is."""
    if not isinstance(target, ir.Subscript):
        return False
    return len(target.indices) > 1 or isinstance(target.indices[0], ir.Slice | ir.Dots)


def _is_drawn(test: ir.Expression, made: SiteId) -> bool:
    """Whether the tensor is drawn for a test alone: `if torch.rand(1) < p`."""
    match test:
        case ir.Call(id=site):
            return site == made
        case ir.Compare(left=left, rest=rest):
            return any(_is_drawn(side, made) for side in (left, *(each for _, each in rest)))
        case ir.Boolean(left=left, right=right):
            return _is_drawn(left, made) or _is_drawn(right, made)
        case ir.Unary(operand=operand):
            return _is_drawn(operand, made)
        case _:
            return False


def _whole(expression: ir.Expression) -> ir.Expression:
    """`inputs` of `inputs.ids`, `x` of `x.view(-1)[0]`."""
    *_, whole = taken_from(expression)
    return whole


def _is_dtype(frame: Frame, given: list[ir.Expression]) -> bool:
    """Whether `.to()` is given a dtype alone, as far as its argument says so."""
    return len(given) == 1 and (
        path(given[0]).endswith("dtype") or frame.canonical(path(given[0])).startswith("torch.")
    )


def is_brought_down(frame: Frame, read: ir.Expression) -> bool:
    """Whether what NumPy reads has been brought to the host, even if nothing shows that it is a tensor, or is
    asked whether it has `.numpy()`, as arrays of other libraries have."""
    if any(_brings_down(node) for node in walk([read])):
        return True
    name = text(read)
    is_read = False
    for node in walk(frame.evidence.body):
        is_read = is_read or node is read
        if _asks_for_array(node, name):
            return True
        if not is_read and isinstance(node, ir.Assign) and _is_name_of_copy(node, name):
            return True
    return False


def comes_from_elsewhere(frame: Frame, read: ir.Expression) -> bool:
    """Whether code for the host itself shows that it reads what others have made: it detaches it, as what a
    model gives has to be, or asks whether it is a tensor, since it takes whatever it is given."""
    if any(isinstance(node, ir.Attribute) and node.name == "detach" for node in walk([read])):
        return True
    name = text(_whole(read))
    return any(_is_asked(frame, node, name) for node in walk(frame.evidence.body))


def _is_asked(frame: Frame, node: Node, name: str) -> bool:
    """`isinstance(x, torch.Tensor)`."""
    match node:
        case ir.Call(function=ir.Name(name="isinstance"), arguments=(asked, of)):
            return text(asked.value) == name and frame.canonical(path(of.value)) == "torch.Tensor"
        case _:
            return False


def _is_name_of_copy(node: ir.Assign, name: str) -> bool:
    return any(text(target) == name for target in node.targets) and any(map(_brings_down, walk([node.value])))


def _brings_down(node: Node) -> bool:
    """`x.cpu()`, `x.to("cpu")`."""
    match node:
        case ir.Call(function=ir.Attribute(name="cpu")):
            return True
        case ir.Call(function=ir.Attribute(name="to"), arguments=(target, *_)):
            return isinstance(target.value, ir.Constant) and target.value.value == "cpu"
        case _:
            return False


def _asks_for_array(node: Node, name: str) -> bool:
    """`hasattr(x, "numpy")`."""
    match node:
        case ir.Call(function=ir.Name(name="hasattr"), arguments=(asked, attribute)):
            wanted = attribute.value
            return text(asked.value) == name and isinstance(wanted, ir.Constant) and wanted.value == "numpy"
        case _:
            return False


def is_number(frame: Frame, made: SiteId) -> bool:
    """Whether a tensor is made of one number, `torch.tensor(float("inf"))`, so that it may lie anywhere."""
    for node in frame.evidence.nodes:
        if isinstance(node, ir.Call) and node.id == made and node.arguments:
            if frame.canonical(path(node.function)) not in _MADE_OF_DATA:
                return False
            data = node.arguments[0].value
            value = frame.environment.get(path(data)) if path(data) else None
            return isinstance(value, Literal | Scalar) or (
                isinstance(data, ir.Call) and path(data.function) in _NUMBERS
            )
    return False


def _contains(expression: ir.Expression, site: SiteId) -> bool:
    return any(isinstance(node, ir.Call) and node.id == site for node in walk([expression]))
