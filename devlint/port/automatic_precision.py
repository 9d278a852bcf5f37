"""`torch.cuda.amp` replaced by the functions that take a device type."""

from __future__ import annotations

import libcst as cst

from devlint.port.arguments import in_list, keyword
from devlint.port.device import Device
from devlint.port.rewriting import Build, torch_in
from devlint.port.source import Source

_AUTOCAST = ("torch.cuda.amp.autocast", "torch.cuda.amp.autocast_mode.autocast")
_SCALER = ("torch.cuda.amp.GradScaler", "torch.cuda.amp.grad_scaler.GradScaler")
_TYPED = frozenset(
    {
        "torch.autocast",
        "torch.amp.autocast",
        "torch.amp.autocast_mode.autocast",
        "torch.amp.GradScaler",
        "torch.amp.custom_fwd",
        "torch.amp.custom_bwd",
    }
)
"""Functions that take a device type."""
_PARAMETERS = ("enabled", "dtype", "cache_enabled")
"""The parameters of `torch.cuda.amp.autocast`, in order; `torch.autocast` has another order."""


def changed(source: Source, call: cst.Call, name: str) -> Build | None:
    """How to replace a call by one for any device; None for other calls."""
    if any(arg.star for arg in call.args):
        return None
    torch = torch_in(source)

    def autocast(node: cst.CSTNode, device: Device) -> cst.CSTNode:
        assert isinstance(node, cst.Call)
        own = keyword("device_type", cst.parse_expression(device.kind(torch)))
        args = [_named(arg, position) for position, arg in enumerate(node.args)]
        return node.with_changes(func=cst.parse_expression(f"{torch}.autocast"), args=in_list([own, *args]))

    def scaler(node: cst.CSTNode, device: Device) -> cst.CSTNode:
        assert isinstance(node, cst.Call)
        own = cst.Arg(cst.parse_expression(device.kind(torch)))
        func = cst.parse_expression(f"{torch}.amp.GradScaler")
        return node.with_changes(func=func, args=in_list([own, *node.args]))

    if name in _AUTOCAST:
        return autocast
    return scaler if name in _SCALER else None


def _named(arg: cst.Arg, position: int) -> cst.Arg:
    if arg.keyword is not None:
        return arg
    named = keyword(_PARAMETERS[position], arg.value)
    return named.with_changes(comma=arg.comma, whitespace_after_arg=arg.whitespace_after_arg)


def names_type(name: str, position: int, arg: cst.Arg) -> bool:
    """Whether an argument is a device type, as in `torch.autocast("cuda")`."""
    if name not in _TYPED:
        return False
    return position == 0 if arg.keyword is None else arg.keyword.value in ("device_type", "device")
