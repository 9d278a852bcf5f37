"""The value of an expression."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from devlint.model import Cause, Choice, SiteId
from devlint.source import ir
from devlint.source.flow.calls import builtin_calls, calls
from devlint.source.flow.modules.moved_modules import follow_drawn
from devlint.source.flow.operators import waits
from devlint.source.flow.operators.places import fixed, formatted_device
from devlint.source.flow.state.environment import Environment
from devlint.source.flow.state.frame import Frame, Passed, Yielded
from devlint.source.flow.state.lattice import join, join_all
from devlint.source.flow.state.values import (
    SCALAR,
    TOP,
    Alternatives,
    Array,
    Availability,
    Batch,
    Container,
    DeviceValue,
    External,
    Instance,
    Literal,
    Module,
    Scalar,
    Tensor,
    Value,
)
from devlint.source.flow.syntax import arithmetic, attributes, branches, generators, stores
from devlint.source.flow.syntax.elements import item, iterate, part_of, slice_or_any, unpack
from devlint.source.flow.syntax.indexing import index_tensor, index_unknown
from devlint.source.flow.syntax.narrowing import narrowed
from devlint.source.walk import assigned_names, path


def evaluate(frame: Frame, node: ir.Expression) -> Value:
    """The value of an expression, with its events noted."""
    return _EVALUATORS[type(node)](frame, node)


def _name(frame: Frame, node: ir.Name) -> Value:
    value = frame.look_up(node.name)
    if value is TOP and builtin_calls.is_builtin(node.name):
        return External(builtin_calls.PREFIX + node.name)
    if value is TOP and not frame.is_bound(node.name):
        return frame.program.imports.from_stars(node.name) or TOP
    return frame.program.imports.if_named_for_device(value) if isinstance(value, External) else value


def _constant(frame: Frame, node: ir.Constant) -> Value:
    return Literal(node.value)


def _format(frame: Frame, node: ir.Format) -> Value:
    parts: list[str | Value] = []
    for part in node.parts:
        if isinstance(part, str):
            parts.append(part)
            continue
        value = evaluate(frame, part)
        builtin_calls.note_formatting(frame, Passed(value, part))
        parts.append(value)
    return formatted_device(parts)


def _attribute(frame: Frame, node: ir.Attribute) -> Value:
    dotted = path(node)
    if dotted:
        bound = _bound_attribute(frame, dotted)
        if bound is not None:
            return bound
    value = evaluate(frame, node.value)
    if isinstance(value, Module | Instance) and value.info is not None:
        frame.program.settle(value.info)
    return attributes.attribute(frame, node, value)


def _bound_attribute(frame: Frame, dotted: str) -> Value | None:
    at: Frame | None = frame
    while at is not None:
        value = at.environment.get(dotted)
        if value is not None:
            return value
        if dotted.startswith("self."):
            # What a constructor's inner function finds in `self` is what is there when it is called.
            return None
        at = at.enclosing
    return None


def _call(frame: Frame, node: ir.Call) -> Value:
    callee = evaluate(frame, node.function)
    if isinstance(node.function, ir.Attribute) and node.function.name == "load_state_dict":
        frame.restored = _copied_from(node)
    passed = [given for argument in node.arguments for given in _passed(frame, argument)]
    return calls.call(frame, node, callee, passed)


def _passed(frame: Frame, argument: ir.Argument) -> list[Passed]:
    """What an argument passes: more than one, where a list or dict of known items is spread."""
    value = evaluate(frame, argument.value)
    items = value.items if isinstance(value, Container) else None
    if argument.stars == 1 and items is not None and isinstance(argument.value, ir.Name):
        return [Passed(item, argument.value) for _, item in items]
    if argument.stars == 2 and items is not None and all(isinstance(key, str) for key, _ in items):
        return [Passed(item, argument.value, str(key)) for key, item in items]
    return [Passed(value, argument.value, argument.keyword, argument.stars)]


def _copied_from(node: ir.Call) -> SiteId | None:
    """What `load_state_dict` copies into where the parameters are, wherever it lies; with `assign=True` it
    takes the place of the parameters."""
    if any(argument.keyword == "assign" or argument.stars for argument in node.arguments):
        return None
    source = node.arguments[0].value if node.arguments else None
    while isinstance(source, ir.Subscript):
        source = source.value
    return source.id if isinstance(source, ir.Call) else None


def _subscript(frame: Frame, node: ir.Subscript) -> Value:
    value = evaluate(frame, node.value)
    indices = [Passed(_evaluate_key(frame, index), index) for index in node.indices]
    match value:
        case Tensor() | Alternatives():
            return index_tensor(frame, node, value, indices)
        case Batch(tensor=tensor):
            advanced = any(isinstance(index.value, Tensor) for index in indices)
            return index_tensor(frame, node, tensor, indices) if advanced else value
        case Array():
            return value
        case Module():
            # Which of several modules it is, and what that one does, is not known.
            part = part_of(value)
            return part if isinstance(part, Tensor) else TOP
        case Container() | Instance():
            key = indices[0].value if len(indices) == 1 else TOP
            return item(value, key.value) if isinstance(key, Literal) else slice_or_any(node, value)
        case _:
            return index_unknown(frame, node, indices)


def _evaluate_key(frame: Frame, index: ir.Expression) -> Value:
    """A key that is put together from a tensor needs its value on the host, however it is spelled."""
    if not isinstance(index, ir.Format):
        return evaluate(frame, index)
    with frame.off_path():
        return evaluate(frame, index)


def _slice(frame: Frame, node: ir.Slice) -> Value:
    for bound in (node.lower, node.upper, node.step):
        value = evaluate(frame, bound) if bound is not None else None
        if bound is not None and isinstance(value, Tensor):
            read = Passed(value, bound)
            waits.note_wait(frame, bound.id, "torch.Tensor.__index__", Cause.HIDDEN_READ, value, read, "self")
    return SCALAR


def _starred(frame: Frame, node: ir.Starred) -> Value:
    return iterate(evaluate(frame, node.value))


def _sequence(frame: Frame, node: ir.Sequence) -> Value:
    values = [evaluate(frame, element) for element in node.elements]
    mutable = node.shape is not ir.Shape.TUPLE
    data = all(isinstance(v, Literal | Scalar) or (isinstance(v, Container) and v.data) for v in values)
    if len(values) > MOST_ITEMS:
        return Container(join_all(values), None, mutable, data)
    if any(isinstance(element, ir.Starred) for element in node.elements):
        return Container(join_all(values), _around_stars(node.elements, values), mutable, data)
    return Container(join_all(values), tuple(enumerate(values)), mutable, data)


def _around_stars(
    elements: Sequence[ir.Expression], values: Sequence[Value]
) -> tuple[tuple[int | None, Value], ...]:
    """The positions of what stands before anything of unknown length, and those from the end behind it."""
    starred = [position for position, each in enumerate(elements) if isinstance(each, ir.Starred)]
    first, last, count = starred[0], starred[-1], len(elements)

    def key(position: int) -> int | None:
        return position if position < first else position - count if position > last else None

    return tuple((key(position), value) for position, value in enumerate(values))


MOST_ITEMS = 32
"""Displays longer than this are known by the join of their elements only."""


def _mapping(frame: Frame, node: ir.Mapping) -> Value:
    items: list[tuple[object, Value]] = []
    exact = len(node.items) <= MOST_ITEMS
    for key, expression in node.items:
        value = evaluate(frame, expression)
        name = evaluate(frame, key) if key is not None else TOP
        if isinstance(name, Literal):
            items.append((name.value, value))
        else:
            items.append((None, value if key is not None else iterate(value)))
            exact = False
    return Container(join_all([value for _, value in items]), tuple(items) if exact else None)


def _binary(frame: Frame, node: ir.Binary) -> Value:
    return arithmetic.binary(frame, node, evaluate(frame, node.left), evaluate(frame, node.right))


def _unary(frame: Frame, node: ir.Unary) -> Value:
    return arithmetic.unary(frame, node, evaluate(frame, node.operand))


def _boolean(frame: Frame, node: ir.Boolean) -> Value:
    left = evaluate(frame, node.left)
    branches.note_truth(frame, node.left, left)
    with narrowed(frame, node.left, holds=node.operator == "and"):
        right = evaluate(frame, node.right)
    return arithmetic.either(node, left, right)


def _compare(frame: Frame, node: ir.Compare) -> Value:
    left = Passed(evaluate(frame, node.left), node.left)
    result: Value = SCALAR
    for operator, expression in node.rest:
        right = Passed(evaluate(frame, expression), expression)
        result = arithmetic.compared(frame, node, left, operator, right) or result
        left = arithmetic.for_the_rest(left.value, operator, right)
    return result


def _conditional(frame: Frame, node: ir.Conditional) -> Value:
    test = evaluate(frame, node.test)
    branches.note_truth(frame, node.test, test)
    with branches.taken(frame, node.test, test, holds=True):
        then = evaluate(frame, node.then)
    with branches.taken(frame, node.test, test, holds=False):
        orelse = evaluate(frame, node.orelse)
    joined = join(then, orelse)
    if isinstance(test, Availability) or (
        isinstance(joined, DeviceValue) and isinstance(joined.device, Choice)
    ):
        frame.program.runs_on_host = True
    return joined


def _comprehension(frame: Frame, node: ir.Comprehension) -> Value:
    saved = frame.environment
    frame.environment = saved.copy()
    first = draw(frame, node.loops[0].iterable) if node.loops else TOP
    frame.loops.append(assigned_names(node.loops))
    for position, loop in enumerate(node.loops):
        drawn = first if position == 0 else draw(frame, loop.iterable)
        bind_target(frame, loop.target, drawn)
        for condition in loop.conditions:
            branches.note_truth(frame, condition, evaluate(frame, condition))
    if node.key is not None:
        evaluate(frame, node.key)
    element = evaluate(frame, node.element)
    if node.loops:
        follow_drawn(frame, node.loops[0].iterable, node.loops[0].target, first)
    own = frame.loops.pop()
    _keep_moves(saved, frame.environment, own)
    frame.environment = saved
    return Container(element, data=isinstance(element, Scalar | Literal))


def _keep_moves(outside: Environment, inside: Environment, own: Collection[str]) -> None:
    """Modules that a comprehension moves have moved behind it, too, but for the names of its own."""
    for name, value in outside.names.items():
        after = inside.get(name)
        if name not in own and isinstance(value, Module | Container) and type(after) is type(value):
            outside.names[name] = after


def draw(frame: Frame, iterable: ir.Expression) -> Value:
    """What a loop draws from an iterable. To walk over a tensor makes one view an element and waits for
    none."""
    return iterate(generators.iterable(frame, iterable.id, evaluate(frame, iterable)))


def _lambda(frame: Frame, node: ir.Lambda) -> Value:
    result = ir.Return(node.body.id, node.body)
    function = ir.Function(node.id, "<lambda>", node.parameters, (), None, (result,))
    return frame.program.define_lambda(function, frame)


def _walrus(frame: Frame, node: ir.Walrus) -> Value:
    value = evaluate(frame, node.value)
    bind_target(frame, node.target, value)
    return value


def _await(frame: Frame, node: ir.Await) -> Value:
    evaluate(frame, node.value)
    return TOP


def _yield(frame: Frame, node: ir.Yield) -> Value:
    value = Literal(None) if node.value is None else evaluate(frame, node.value)
    given = iterate(value) if node.delegates else value
    frame.yields.append(Yielded(given, frame.hot, frame.default_device))
    return TOP


def _dots(frame: Frame, node: ir.Dots) -> Value:
    return SCALAR


def bind_target(
    frame: Frame, target: ir.Expression, value: Value, source: ir.Expression | None = None
) -> None:
    """`target = value`; `source` is what the value is written as."""
    match target:
        case ir.Name(name=name):
            frame.bind(name, value)
        case ir.Attribute():
            dotted = path(target)
            owner = evaluate(frame, target.value) if not dotted or target.name == "data" else TOP
            if isinstance(owner, Tensor) and isinstance(value, Tensor) and dotted:
                stores.replace_data(frame, target, owner, value)
            elif dotted:
                stores.change_part(frame, target, value)
                frame.rebind(dotted, fixed(value, dotted))
        case ir.Subscript():
            holder = evaluate(frame, target.value)
            indices = [Passed(evaluate(frame, index), index) for index in target.indices]
            stores.store(frame, target, holder, indices, Passed(value, source or target))
        case ir.Starred(value=inner):
            bind_target(frame, inner, Container(value))
        case ir.Sequence(elements=elements):
            starred = any(isinstance(element, ir.Starred) for element in elements)
            parts = [iterate(value)] * len(elements) if starred else unpack(value, len(elements))
            for element, part in zip(elements, parts, strict=True):
                bind_target(frame, element, part)
        case _:
            pass


_EVALUATORS: dict[type, Callable[..., Value]] = {
    ir.Name: _name,
    ir.Constant: _constant,
    ir.Format: _format,
    ir.Attribute: _attribute,
    ir.Call: _call,
    ir.Subscript: _subscript,
    ir.Slice: _slice,
    ir.Starred: _starred,
    ir.Sequence: _sequence,
    ir.Mapping: _mapping,
    ir.Binary: _binary,
    ir.Unary: _unary,
    ir.Boolean: _boolean,
    ir.Compare: _compare,
    ir.Conditional: _conditional,
    ir.Comprehension: _comprehension,
    ir.Lambda: _lambda,
    ir.Walrus: _walrus,
    ir.Await: _await,
    ir.Yield: _yield,
    ir.Dots: _dots,
}
