"""Which expression of a quoted line is an argument of torch's, derived from the line alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from devlint.errors.pasted import PastedFrame
from devlint.model.syntax import expression_tree, module_tree
from devlint.operators import Operator, find

_INSTALLED = re.compile(
    r"(?:^|[/\\])(?:site-packages|dist-packages)[/\\]|[/\\][Ll]ib[/\\]python[\d.]+[/\\]|^<frozen "
    r"|[/\\]torch[/\\](?:nn|optim|utils|autograd|distributed|functional\.py|_\w+(?:\.py|[/\\]))"
)
"""Paths of installed packages, and of torch's own files in a checkout."""
_MODULES = re.compile(r"[/\\]torch[/\\]nn[/\\]modules[/\\]")
_METHOD = "torch.Tensor."
_FUNCTIONS = ("torch.", "torch.nn.functional.")
_INNER = {
    "linear": {"mat1": "input", "mat2": "weight", "self": "bias", "vec": "input"},
    "matmul": {
        "mat1": "input", "self": "input", "mat2": "other", "vec": "other", "batch2": "other",
        "tensor": "other",
    },
    "bmm": {"self": "input"},
    "mm": {"self": "input"},
    "embedding": {"index": "input", "indices": "input", "self": "weight"},
    "cross_entropy": {"self": "input"},
    "index_select": {"self": "input"},
}  # fmt: skip
"""Functions that call another operator inside torch: for each of its arguments, that of the function."""
_SIDES = {"mat1": 0, "self": 0, "input": 0, "mat2": 1, "other": 1, "vec": 1, "batch2": 1, "tensor": 1}
"""Which operand of a binary operator an argument is."""


def is_installed(frame: PastedFrame) -> bool:
    """Whether a frame is in torch, Python or another library."""
    return _INSTALLED.search(frame.path) is not None


def own_frame(frames: Sequence[PastedFrame]) -> PastedFrame | None:
    """The innermost frame of the program itself; without one, the innermost frame."""
    return next((each for each in reversed(frames) if not is_installed(each)), frames[-1] if frames else None)


def expression_at(frame: PastedFrame) -> str:
    """The expression of the frame: the underlined part of the line, or all of it."""
    if frame.marked is not None:
        part = frame.code[frame.marked[0] : frame.marked[1]].strip()
        if part:
            return part
    return frame.code


def fault(frames: Sequence[PastedFrame], argument: str) -> str:
    """The program's name for an argument of torch's: `w`, or the weight of a module; empty if uncertain."""
    own = own_frame(frames)
    if own is None or not argument:
        return ""
    written = written_for(frames[-1], argument)
    if frames[-1] is own or not written:
        return f"`{written}`" if written else ""
    inner = [each for each in frames if _MODULES.search(each.path)]
    while inner and _is_passed_on(inner[-1], written):
        inner.pop()
        written = _handed_on(inner[-1], written) if inner else ""
    if not inner or not written:
        return ""
    called = expression_at(own)
    if written.startswith("self."):
        return f"the `{written.removeprefix('self.')}` of the module that is called in `{called}`"
    return f"the input of the module that is called in `{called}`"


def _is_passed_on(frame: PastedFrame, written: str) -> bool:
    """Whether the text is in a method of torch's modules to which a forward delegates."""
    return not written.startswith("self.") and frame.function.rpartition(".")[2] != "forward"


def _handed_on(frame: PastedFrame, name: str) -> str:
    """The argument of a call that its callee most likely knows by this name: `self.weight` for `weight`."""
    for call in _calls(frame.code):
        if isinstance(call, ast.Call):
            passed = [ast.unparse(each) for each in (*call.args, *(each.value for each in call.keywords))]
            found = [each for each in passed if each in (name, f"self.{name}")]
            if found:
                return found[0]
    return ""


def written_for(frame: PastedFrame, argument: str) -> str:
    """The expression in a quoted line that is an argument of torch's, if exactly one can be."""
    found = {
        ast.unparse(node)
        for call in _calls(expression_at(frame))
        if (node := _argument(call, argument)) is not None
    }
    return found.pop() if len(found) == 1 else ""


def _calls(code: str) -> Iterator[ast.Call | ast.BinOp]:
    tree = _tree(code)
    if tree is not None:
        for node in ast.walk(tree):
            if isinstance(node, ast.Call | ast.BinOp):
                yield node


def _tree(code: str) -> ast.AST | None:
    """A line as a syntax tree: an expression, a statement, or the beginning of one."""
    closed = code.rstrip(", ")
    heads = (code, f"{code}\n    pass", f"{closed})", f"{closed}))")
    for parse, text in ((expression_tree, code), *((module_tree, each) for each in heads)):
        with suppress(SyntaxError, ValueError, RecursionError):
            return parse(text)
    return None


def _argument(call: ast.Call | ast.BinOp, argument: str) -> ast.expr | None:
    if isinstance(call, ast.BinOp):
        side = _SIDES.get(argument)
        return None if side is None else (call.left, call.right)[side]
    if not isinstance(call.func, ast.Attribute | ast.Name):
        return None
    name = call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id
    wanted = {argument, _INNER.get(name.strip("_"), {}).get(argument, argument)}
    for head in _heads(call.func):
        row = find(head + name)
        passed = None if row is None else _bound_arguments(call, row, is_method=head == _METHOD)
        if passed is not None:
            return next((node for each, node in passed if each in wanted), None)
    return None


def _heads(function: ast.Attribute | ast.Name) -> tuple[str, ...]:
    """The namespaces in which torch may have the function: `torch.mm`, `F.linear`, `x.mm`, or `linear`
    alone."""
    if isinstance(function, ast.Name):
        return _FUNCTIONS[::-1]
    owner = ast.unparse(function.value)
    if owner == "torch":
        return _FUNCTIONS[:1]
    return _FUNCTIONS[1:] if owner == "F" or owner.endswith("functional") else (_METHOD,)


def _bound_arguments(call: ast.Call, row: Operator, *, is_method: bool) -> list[tuple[str, ast.expr]] | None:
    """The arguments by torch's names for them; None if this cannot be a call of that operator."""
    positional: list[ast.expr] = list(call.args)
    if is_method:
        assert isinstance(call.func, ast.Attribute)
        positional.insert(0, call.func.value)
    arguments = [row.at(position) for position in range(len(positional))]
    if None in arguments or any(isinstance(each, ast.Starred) for each in positional):
        return None
    return [
        *((each.name, node) for each, node in zip(arguments, positional, strict=True) if each is not None),
        *((each.arg, each.value) for each in call.keywords if each.arg is not None),
    ]
