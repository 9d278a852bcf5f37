"""The kinds of planted bugs: each removes one thing that authors write to keep devices consistent."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from tests.benchmarks.accuracy.planting import Planting, Source

Edit = tuple[int, int, bytes]
Change = tuple[ast.expr, tuple[Edit, ...], str]
"""The expression that is changed, the edits, and the attribute that is no longer a buffer."""

FACTORIES = frozenset(
    {
        "zeros", "ones", "full", "empty", "arange", "linspace", "logspace", "eye", "tensor", "rand", "randn",
        "randint", "randperm", "as_tensor", "from_numpy", "tril_indices", "triu_indices", "range",
    }
)  # fmt: skip
"""Functions of torch that create a tensor on the host if no device is passed."""


def plantings(source: Source) -> list[Planting]:
    """Every bug that can be planted in a text, in order.

    Now and then what is left does not parse, which `parses` tells: an argument was on a line of its own.
    """
    found = [
        Planting(
            kind, changed.lineno, changed.col_offset, edits,
            statement.lineno, statement.end_lineno or statement.lineno, scope, attribute,
        )
        for statement, scope in source.statements()
        for kind, changes in KINDS.items()
        for changed, edits, attribute in changes(source, statement)
    ]  # fmt: skip
    return sorted(found)


def _without_device(source: Source, statement: ast.stmt) -> Iterator[Change]:
    """`torch.zeros(n, device=x.device)` becomes `torch.zeros(n)`."""
    for call in _calls(statement):
        match call.func:
            case ast.Attribute(value=ast.Name(id="torch"), attr=name) if name in FACTORIES:
                device = _keyword(call, "device")
                if device is not None and _is_given(device.value):
                    yield call, (_without_keyword(source, call, device),), ""


def _without_registration(source: Source, statement: ast.stmt) -> Iterator[Change]:
    """`self.register_buffer("x", v)` and `self.x = nn.Buffer(v)` become `self.x = v`."""
    match statement:
        case ast.Assign(
            targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)],
            value=ast.Call(func=function, args=[value, *_]) as call,
        ) if ast.unparse(function) in {"nn.Buffer", "torch.nn.Buffer"}:
            opening = source.blank(source.start(call), source.start(value))
            closing = source.blank(source.end(value), source.end(call))
            yield call, ((*opening[:2], b"(" + opening[2]), (*closing[:2], closing[2] + b")")), name
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=ast.Name(id="self"), attr="register_buffer"),
                args=[ast.Constant(value=str(name)), value, *_],
            ) as call
        ) if name.isidentifier() and not isinstance(value, ast.Constant):
            opening = source.blank(source.start(call), source.start(value))
            closing = source.blank(source.end(value), source.end(call))
            before = f"self.{name} = (".encode() + opening[2]
            yield call, ((*opening[:2], before), (*closing[:2], closing[2] + b")")), name


def _without_move(source: Source, statement: ast.stmt) -> Iterator[Change]:
    """`y = y.to(x.device)` becomes `y = y`, and `.to(x.device, torch.long)` becomes `.to(torch.long)`."""
    if isinstance(statement, ast.Expr):
        return
    for call in _calls(statement):
        device = _target(call)
        if device is None:
            continue
        assert isinstance(call.func, ast.Attribute)
        if len(call.args) + len(call.keywords) == 1 or call.func.attr == "cuda" or _only_moves(call):
            yield call, (source.blank(source.end(call.func.value), source.end(call)),), ""
        elif isinstance(device, ast.keyword):
            yield call, (_without_keyword(source, call, device),), ""
        else:
            behind = source.start(call.args[1] if len(call.args) > 1 else call.keywords[0])
            yield call, (source.blank(source.start(device), behind),), ""


def _without_result(source: Source, statement: ast.stmt) -> Iterator[Change]:
    """`x = x.to(d)` becomes `x.to(d)`."""
    match statement:
        case ast.Assign(
            targets=[target], value=ast.Call(func=ast.Attribute(value=moved, attr="to" | "cuda")) as call
        ) if ast.unparse(target) == ast.unparse(moved) and _target(call) is not None:
            yield call, (source.blank(source.start(statement), source.start(call)),), ""


def _without_copy(source: Source, statement: ast.stmt) -> Iterator[Change]:
    """`x.detach().cpu().numpy()` becomes `x.detach().numpy()`."""
    for call in _calls(statement):
        if not isinstance(call.func, ast.Attribute) or call.func.attr != "numpy":
            continue
        link = call.func.value
        while isinstance(link, ast.Call) and isinstance(link.func, ast.Attribute):
            to_host = link.func.attr == "to" and [ast.unparse(each) for each in link.args] == ["'cpu'"]
            if link.func.attr == "cpu" or to_host:
                yield link, (source.blank(source.end(link.func.value), source.end(link)),), ""
            link = link.func.value


KINDS: dict[str, Callable[[Source, ast.stmt], Iterator[Change]]] = {
    "device=": _without_device,
    "register_buffer": _without_registration,
    ".to()": _without_move,
    "x = x.to()": _without_result,
    ".cpu()": _without_copy,
}
"""The kinds, by the code that is removed."""


def _calls(statement: ast.stmt) -> Iterator[ast.Call]:
    return (node for node in ast.walk(statement) if isinstance(node, ast.Call))


def _keyword(call: ast.Call, name: str) -> ast.keyword | None:
    return next((keyword for keyword in call.keywords if keyword.arg == name), None)


def _target(call: ast.Call) -> ast.expr | ast.keyword | None:
    """The device that something is moved to: `x.to(device)`, `x.cuda()`."""
    if not isinstance(call.func, ast.Attribute):
        return None
    if call.func.attr == "cuda" and not call.keywords:
        return call.args[0] if call.args else call.func.value
    if call.func.attr != "to":
        return None
    if call.args and _is_given(call.args[0]) and _names_device(call.args[0]):
        return call.args[0]
    device = _keyword(call, "device")
    return device if device is not None and _is_given(device.value) else None


def _only_moves(call: ast.Call) -> bool:
    """Whether the arguments contain only the device and options of the copy."""
    return len(call.args) <= 1 and {each.arg for each in call.keywords} <= {"device", "non_blocking"}


def _names_device(expression: ast.expr) -> bool:
    match expression:
        case ast.Constant(value=str()):
            return True
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name.endswith("device")
        case _:
            return False


def _is_given(device: ast.expr) -> bool:
    """Whether it may be an accelerator."""
    return not (isinstance(device, ast.Constant) and device.value in {None, "cpu", "meta"})


def _without_keyword(source: Source, call: ast.Call, keyword: ast.keyword) -> Edit:
    """Removes an argument with the comma before it, or after it if it is the first."""
    passed: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    arguments = sorted(passed, key=source.start)
    at = arguments.index(keyword)
    if at:
        return source.blank(source.end(arguments[at - 1]), source.end(keyword))
    if len(arguments) > 1:
        return source.blank(source.start(keyword), source.start(arguments[1]))
    return source.blank(source.start(keyword), source.end(keyword))


def parses(text: str) -> bool:
    """Whether a text can be parsed as Python."""
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True
