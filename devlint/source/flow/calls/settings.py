"""What a program sets, times and compares: environment variables, clocks, devices against strings."""

from __future__ import annotations

import re
from collections.abc import Sequence

from devlint.model import Concrete, SettingKind, SiteId
from devlint.source import ir
from devlint.source.flow.patterns.portability import note_use
from devlint.source.flow.state.frame import Frame, Passed
from devlint.source.flow.state.values import Clock, DeviceValue, Literal, Value
from devlint.source.walk import text

INITIALIZES_CUDA = frozenset(
    {"torch.cuda.is_available", "torch.cuda.current_device", "torch.cuda.init",
     "torch.cuda.set_device", "torch.cuda.get_device_name", "torch.cuda.get_device_properties",
     "torch.cuda.synchronize", "torch.cuda.empty_cache", "torch.cuda.Stream"}
)  # fmt: skip
"""Calls that make the CUDA runtime read CUDA_VISIBLE_DEVICES once and for all (torch/cuda/__init__.py)."""
_SETTERS = frozenset({"os.environ.setdefault", "os.putenv", "os.environ.__setitem__"})
ENVIRONMENT = "os.environ"
_ON_PURPOSE = re.compile(r"determin|reproduc|debug", re.IGNORECASE)
"""Functions whose names say that they trade speed for something."""
ORDINAL_TYPES = frozenset({"cuda", "xpu"})
"""Types whose tensors always say an ordinal in `.device`."""


def note_call(frame: Frame, node: ir.Call, name: str, passed: Sequence[Passed]) -> None:
    """Notes a call that sets an environment variable, or after which it is too late to."""
    if name in INITIALIZES_CUDA:
        frame.starts_accelerator(node.id)
        if name != "torch.cuda.is_available":
            note_use(frame, node.id, Concrete("cuda"))
    elif name in _SETTERS and len(passed) >= 2:
        note_environment(frame, node.id, passed[0].value, passed[1].value)


def note_environment(frame: Frame, site: SiteId, key: Value, value: Value) -> None:
    """Notes `os.environ[key] = value` for the variables that decide about devices."""
    if not isinstance(key, Literal):
        return
    given = value.value if isinstance(value, Literal) else None
    shown = given if isinstance(given, str) else ""
    if (
        key.value == "CUDA_LAUNCH_BLOCKING"
        and shown not in {"0", ""}
        and not frame.conditional
        and not _ON_PURPOSE.search(frame.qualname)
    ):
        frame.note_setting(SettingKind.LAUNCH_BLOCKING, site, shown)
    elif key.value == "CUDA_VISIBLE_DEVICES":
        before = frame.started if frame.started is not None else frame.program.started_at_import
        if before is not None and not frame.conditional:
            frame.note_setting(SettingKind.VISIBLE_DEVICES_TOO_LATE, site, shown, related=before)
        elif shown:
            frame.program.visible_devices = len(shown.split(","))


def note_comparison(frame: Frame, node: ir.Compare, left: Passed, operator: str, right: Passed) -> None:
    """Notes a `torch.device` compared with a string, or `cuda` with `cuda:0`: never equal."""
    if operator not in {"eq", "ne"}:
        return
    for device, other in ((left, right), (right, left)):
        if not isinstance(device.value, DeviceValue) or device.value.is_object is False:
            continue
        # In a chain, what is compared with a string is compared with another device too.
        site = device.expression.id if len(node.rest) == 1 else None
        shown = text(device.expression)
        if isinstance(other.value, Literal) and isinstance(other.value.value, str):
            if device.value.is_object is None:
                continue
            frame.note_setting(SettingKind.DEVICE_COMPARISON, node.id, other.value.value, shown, site)
            return
        if _has_ordinal(device) and _lacks_ordinal(other):
            frame.note_setting(SettingKind.ORDINAL_COMPARISON, node.id, text(other.expression), shown, site)
            return


def _has_ordinal(device: Passed) -> bool:
    """Whether a device certainly has an ordinal on an accelerator: a tensor's always has one."""
    value, expression = device.value, device.expression
    if (
        isinstance(value, DeviceValue)
        and isinstance(value.device, Concrete)
        and value.device.index is not None
    ):
        return True
    return isinstance(expression, ir.Attribute) and expression.name == "device"


def _lacks_ordinal(device: Passed) -> bool:
    value = device.value
    return (
        isinstance(value, DeviceValue)
        and value.is_object is True
        and isinstance(value.device, Concrete)
        and value.device.type in ORDINAL_TYPES
        and value.device.index is None
        and isinstance(device.expression, ir.Call)
        # What is put together may have one: `torch.device(f"cuda:{rank}")`.
        and all(isinstance(each.value, ir.Constant) for each in device.expression.arguments)
    )


def note_elapsed(frame: Frame, node: ir.Binary, left: Value, right: Value) -> None:
    """Notes a time taken from two readings of the clock, with device work and no wait in between."""
    if not isinstance(right, Clock) or node.operator != "sub":
        return
    end = left if isinstance(left, Clock) else None
    waits = end.waits if end is not None else frame.waits
    work = end.work if end is not None else frame.work
    if work > right.work and waits == right.waits:
        frame.note_setting(SettingKind.UNSYNCHRONIZED_TIMING, node.id, right.name, related=right.site)
