"""Replacements of calls and literals, with a device in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import libcst as cst

from devlint.port.arguments import in_list, keyword, with_argument
from devlint.port.device import Device
from devlint.port.source import Source

Build: TypeAlias = Callable[[cst.CSTNode, Device], cst.CSTNode]
"""Makes the replacement of a node for a device."""
_KEPT = ("non_blocking", "memory_format")
"""The arguments that `.cuda` and `.to` have in common."""


def kept_arguments(call: cst.Call) -> list[cst.Arg]:
    """The arguments of `.cuda(…)` except the device."""
    return [arg for arg in call.args if arg.keyword is not None and arg.keyword.value in _KEPT]


def moved(node: cst.CSTNode, device: Device) -> cst.CSTNode:
    """`x.cuda(…)` as `x.to(device, …)`."""
    assert isinstance(node, cst.Call)
    renamed = moved_as_told(node, device)
    return renamed.with_changes(args=in_list([cst.Arg(device.node()), *kept_arguments(node)]))


def moved_as_told(node: cst.CSTNode, _: Device) -> cst.CSTNode:
    """`x.cuda(d)`, if `d` is a device, as `x.to(d)`."""
    assert isinstance(node, cst.Call)
    assert isinstance(node.func, cst.Attribute)
    return node.with_changes(func=node.func.with_changes(attr=cst.Name("to")))


def replaced(_: cst.CSTNode, device: Device) -> cst.CSTNode:
    """The device itself."""
    return device.node()


def kind(source: Source) -> Build:
    """The type of the device."""
    return lambda _, device: cst.parse_expression(device.kind(torch_in(source)))


def is_cuda(source: Source) -> Build:
    """Whether the device is CUDA's."""
    return lambda _, device: _is_cuda(source, device)


def _is_cuda(source: Source, device: Device) -> cst.BaseExpression:
    return cst.parse_expression(f'{device.kind(torch_in(source))} == "cuda"')


def pinned_if_cuda(source: Source, *, stands_alone: bool) -> Build:
    """`x.pin_memory()` where the device is CUDA's, and else `x`."""

    def build(node: cst.CSTNode, device: Device) -> cst.CSTNode:
        assert isinstance(node, cst.Call)
        assert isinstance(node.func, cst.Attribute)
        choice = cst.IfExp(_is_cuda(source, device), node, node.func.value)
        if stands_alone:
            return choice
        return choice.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])

    return build


def with_map_location(node: cst.CSTNode, device: Device) -> cst.CSTNode:
    """`torch.load` of parameters, which are copied to the device of the model."""
    assert isinstance(node, cst.Call)
    return with_argument(node, keyword("map_location", device.node()))


def with_conditional_map_location(source: Source) -> Build:
    """`torch.load` of anything else: on CUDA, tensors stay on their saved devices."""

    def build(node: cst.CSTNode, device: Device) -> cst.CSTNode:
        assert isinstance(node, cst.Call)
        where = f'None if {device.kind(torch_in(source))} == "cuda" else {device.expression}'
        return with_argument(node, keyword("map_location", cst.parse_expression(where)))

    return build


def with_cuda_only(source: Source) -> Build:
    """A statement in a branch that is executed only with CUDA."""

    def build(node: cst.CSTNode, device: Device) -> cst.CSTNode:
        assert isinstance(node, cst.SimpleStatementLine)
        return cst.If(
            test=_is_cuda(source, device),
            body=cst.IndentedBlock([node.with_changes(leading_lines=[])]),
            leading_lines=node.leading_lines,
        )

    return build


def chosen(source: Source) -> str:
    """The statement that chooses a device, without its target."""
    torch = torch_in(source)
    return f'{torch}.device("cuda" if {torch}.cuda.is_available() else "cpu")'


def choice_of_name(source: Source) -> Build:
    """`"cuda"` as a choice between names, in its own quotes."""

    def build(node: cst.CSTNode, _: Device) -> cst.CSTNode:
        assert isinstance(node, cst.SimpleString)
        other = f"{node.quote}cpu{node.quote}"
        return cst.parse_expression(f"{node.value} if {torch_in(source)}.cuda.is_available() else {other}")

    return build


def choice_of_device(source: Source) -> Build:
    """`torch.device("cuda")` as the choice of a device."""
    name = choice_of_name(source)

    def build(node: cst.CSTNode, device: Device) -> cst.CSTNode:
        assert isinstance(node, cst.Call)
        value = name(node.args[0].value, device)
        assert isinstance(value, cst.BaseExpression)
        return node.with_changes(args=[cst.Arg(value)])

    return build


def torch_in(source: Source) -> str:
    """The name of torch in a file. The file gets an import if it has none."""
    return source.torch or "torch"
