"""Legacy tensor types, which are a device and a dtype together, replaced by both."""

from __future__ import annotations

import libcst as cst

from devlint.port.arguments import in_list, keyword
from devlint.port.device import Device
from devlint.port.rewriting import Build, torch_in
from devlint.port.source import Source, text_of

_DTYPES = {
    "FloatTensor": "float32",
    "DoubleTensor": "float64",
    "HalfTensor": "float16",
    "BFloat16Tensor": "bfloat16",
    "ByteTensor": "uint8",
    "CharTensor": "int8",
    "ShortTensor": "int16",
    "IntTensor": "int32",
    "LongTensor": "int64",
    "BoolTensor": "bool",
}
"""The dtype of each type, from the table in the documentation of `torch.Tensor`."""
_CUDA = "torch.cuda."


def dtype_of(name: str) -> str | None:
    """The dtype of a legacy type of CUDA, by the type's full name; None for any other name."""
    return _DTYPES.get(name.removeprefix(_CUDA)) if name.startswith(_CUDA) else None


def changed(source: Source, call: cst.Call, name: str) -> Build | None:
    """How to replace a call that uses a legacy type by one with a device; None if it uses none, or if it
    cannot be replaced."""
    torch = torch_in(source)
    if name == "torch.set_default_tensor_type" and len(call.args) == 1:
        # Another dtype would have to become the default, too.
        return _default(torch) if _named(source, call.args[0].value) == "float32" else None
    if isinstance(call.func, cst.Attribute) and not name:
        cast = call.func.attr.value == "type" and len(call.args) == 1
        dtype = _named(source, call.args[0].value) if cast else None
        return None if dtype is None else _cast(dtype, torch)
    if source.builtin(call.func, "isinstance") and len(call.args) == 2:
        dtype = _named(source, call.args[1].value)
        return None if dtype is None else _test(source, call.args[0].value, dtype, torch)
    dtype = dtype_of(name)
    return None if dtype is None else _constructed(source, call, name, dtype, torch)


def _named(source: Source, value: cst.BaseExpression) -> str | None:
    return dtype_of(text_of(value) or source.imported(value))


def _constructed(source: Source, call: cst.Call, name: str, dtype: str, torch: str) -> Build:
    """A constructor creates a tensor of a size or from data, which its arguments may show."""
    if len(call.args) != 1 or _is_size(source, call.args[0].value):
        return _made("empty", dtype, torch)
    arg = call.args[0]
    if not arg.star and isinstance(arg.value, (cst.List, cst.ListComp, cst.Tuple)):
        return _made("tensor", dtype, torch)
    return _moved(name.removeprefix(_CUDA), torch)


def _cast(dtype: str, torch: str) -> Build:
    """`x.type(torch.cuda.FloatTensor)` as a move."""

    def build(node: cst.CSTNode, device: Device) -> cst.CSTNode:
        assert isinstance(node, cst.Call)
        assert isinstance(node.func, cst.Attribute)
        args = [cst.Arg(device.node()), cst.Arg(cst.parse_expression(f"{torch}.{dtype}"))]
        return node.with_changes(func=node.func.with_changes(attr=cst.Name("to")), args=in_list(args))

    return build


def _test(source: Source, value: cst.BaseExpression, dtype: str, torch: str) -> Build | None:
    """`isinstance(x, torch.cuda.FloatTensor)` as a test of both, if evaluating `x` twice changes nothing."""
    if not isinstance(value, (cst.Name, cst.Attribute)):
        return None
    text = source.code(value)
    test = cst.parse_expression(f"({text}.is_cuda and {text}.dtype == {torch}.{dtype})")
    return lambda _, __: test


def _is_size(source: Source, value: cst.BaseExpression) -> bool:
    """Whether the argument of a constructor is a size: a number, or an expression for a shape."""
    match value:
        case cst.Integer() | cst.Attribute(attr=cst.Name(value="shape")):
            return True
        case cst.BinaryOperation():
            return _is_size(source, value.left) and _is_size(source, value.right)
        case cst.Call(func=cst.Attribute(attr=cst.Name(value=method))):
            return method in ("size", "numel", "dim")
        case cst.Call():
            return source.builtin(value.func, "len")
        case cst.Subscript():
            return _is_size(source, value.value)
        case _:
            return False


def _made(function: str, dtype: str, torch: str) -> Build:
    def build(node: cst.CSTNode, device: Device) -> cst.CSTNode:
        assert isinstance(node, cst.Call)
        positional = list(node.args) or [cst.Arg(cst.Integer("0"))]
        named = [
            keyword("dtype", cst.parse_expression(f"{torch}.{dtype}")),
            keyword("device", device.node()),
        ]
        func = cst.parse_expression(f"{torch}.{function}")
        return node.with_changes(func=func, args=in_list([*positional, *named]))

    return build


def _moved(kind: str, torch: str) -> Build:
    """If it is unknown whether the argument is data or a size, the type of the host gets it, and the result
    is moved."""

    def build(node: cst.CSTNode, device: Device) -> cst.CSTNode:
        assert isinstance(node, cst.Call)
        made = node.with_changes(func=cst.parse_expression(f"{torch}.{kind}"))
        return cst.Call(cst.Attribute(made, cst.Name("to")), [cst.Arg(device.node())])

    return build


def _default(torch: str) -> Build:
    def build(node: cst.CSTNode, device: Device) -> cst.CSTNode:
        assert isinstance(node, cst.Call)
        func = cst.parse_expression(f"{torch}.set_default_device")
        return node.with_changes(func=func, args=[cst.Arg(device.node())])

    return build
