"""Which device a function could name, were it asked where its tensors go."""

from __future__ import annotations

from devlint.model import CPU, Kind
from devlint.source import ir
from devlint.source.flow.state.class_info import ClassInfo
from devlint.source.flow.state.frame import Frame
from devlint.source.flow.state.values import DeviceValue, Tensor
from devlint.source.walk import Node, path, text, walk


def device_at_hand(frame: Frame) -> str:
    """An expression that gives a device that need not be the host, here; empty where there is none.

    What the interpreter knows comes first. Else it is what the function itself says: it asks something for
    its device or its dtype, or its class keeps a device.
    """
    around: Frame | None = frame
    while around is not None:
        named = _known(around) or _named(around)
        if named:
            return named
        around = around.enclosing
    return _of_class(frame)


def _known(frame: Frame) -> str:
    """A device, or a tensor that has one, as far as the interpreter knows them."""
    tensors: list[str] = []
    for value in frame.environment.names.values():
        if isinstance(value, DeviceValue) and value.text and value.device != CPU:
            return value.text
        if isinstance(value, Tensor) and value.evident and value.anchor and value.device != CPU:
            tensors.append(value.anchor)
    return tensors[0] if tensors else ""


def _named(frame: Frame) -> str:
    """What the function names: a device, something that has one, or a parameter that is a tensor."""
    for node in frame.evidence.nodes:
        named = _device_in(node, frame)
        if named:
            return named
    for name, kind in frame.evidence.kinds.items():
        if kind is Kind.TENSOR and name in frame.parameters:
            return f"{name}.device"
    return ""


def _device_in(node: Node, frame: Frame) -> str:
    """`x.device`, `device`, and `x` of `x.dtype`."""
    if not isinstance(node, ir.Attribute | ir.Name) or not node.name.endswith(("device", "dtype")):
        return ""
    dotted = path(node)
    if dotted and frame.canonical(dotted):
        return ""
    if node.name.endswith("device"):
        known = frame.look_up(dotted)
        on_host = isinstance(known, DeviceValue) and known.device == CPU
        return "" if on_host else text(node)
    return f"{text(node.value)}.device" if isinstance(node, ir.Attribute) and node.name == "dtype" else ""


def _of_class(frame: Frame) -> str:
    """`self.device`, `self.trainer.device`: what another method of the class asks for."""
    for info in frame.info.lineage() if frame.info is not None else ():
        if info.device is None:
            info.device = _kept_by(info)
        if info.device:
            return info.device
    return ""


def _kept_by(info: ClassInfo) -> str:
    for node in walk(info.methods.values(), into_scopes=True):
        if isinstance(node, ir.Attribute) and node.name.endswith("device"):
            named = path(node)
            if named.startswith("self."):
                return named
    return ""
