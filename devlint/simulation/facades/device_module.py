"""`torch.cuda`, `torch.xpu`, `torch.mps`: the existing devices and the current one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import torch

from devlint.instrumentation.patches import Patches
from devlint.simulation.devices import Devices

NAME = "devlint simulated device"
TOTAL_MEMORY = 16 * 2**30
"""The memory size that a simulated device reports, in bytes."""
CAPABILITY = (8, 0)
"""The compute capability: the first with bfloat16, so that programs take the path that is most common
today."""
_NCCL = (2, 21, 5)
"""The NCCL version of torch 2.6, which torch adds to errors of collectives."""


def module_of(devices: Devices) -> Any:
    """The module for the type of the simulated devices."""
    return getattr(torch, devices.type)


def replace_existing(patches: Patches, owner: Any, replacements: dict[str, Any]) -> None:
    """Replace those attributes that the installed torch has."""
    for name, value in replacements.items():
        if hasattr(owner, name):
            patches.replace(owner, name, value)


def constant(value: Any) -> Callable[..., Any]:
    """A new function that returns the same value for all arguments."""

    def answer(*_: Any, **__: Any) -> Any:
        return value

    return answer


def patch(patches: Patches, devices: Devices) -> None:
    """Replace the functions that query and select devices."""
    module = module_of(devices)
    context = device_context(devices)

    def set_device(device: Any) -> None:
        index = devices.index_of(device)
        if index >= 0:
            devices.current = index

    def properties(device: Any = None) -> SimpleNamespace:
        index = devices.index_of(device)
        if not 0 <= index < devices.count:
            raise AssertionError("Invalid device id")
        return _properties()

    replacements: dict[str, Any] = {
        "is_available": constant(True),
        "is_initialized": constant(True),
        "_lazy_init": constant(None),
        "init": constant(None),
        "_is_in_bad_fork": constant(False),
        "device_count": lambda: devices.count,
        "current_device": lambda: devices.current,
        "set_device": set_device,
        "device": context,
        "device_of": _device_of(devices, context),
        "_DeviceGuard": device_context(devices),
        "_exchange_device": lambda index: _exchange(devices, index),
        "_maybe_exchange_device": lambda index: _exchange(devices, index),
        "synchronize": constant(None),
        "get_device_name": lambda device=None: properties(device).name,
        "get_device_properties": properties,
        "get_device_capability": lambda device=None: _capability(properties(device)),
        "get_arch_list": lambda: ["sm_80"],
        "get_gencode_flags": constant(""),
        "can_device_access_peer": lambda device, peer: bool(properties(device) and properties(peer)),
        "is_bf16_supported": constant(True),
        "is_tf32_supported": constant(True),
        "is_current_stream_capturing": constant(False),
        "make_graphed_callables": lambda callables, *_, **__: callables,
        "ipc_collect": constant(None),
        "set_sync_debug_mode": constant(None),
        "get_sync_debug_mode": constant(0),
        "utilization": constant(0),
        "cudart": _runtime,
        "_sleep": constant(None),
    }
    replace_existing(patches, module, replacements)
    if devices.type in _PARTS:
        for owner, names in _PARTS[devices.type]():
            replace_existing(patches, owner, names)


def _cuda_parts() -> list[tuple[Any, dict[str, Any]]]:
    marks = ("range_push", "range_pop", "range_start", "range_end", "mark")
    return [
        (torch.cuda.nvtx, {name: constant(0) for name in marks} | {"range": _Unmarked}),
        (torch.cuda.profiler, {"start": constant(None), "stop": constant(None)}),
        (torch.cuda.nccl, {"is_available": constant(False), "version": constant(_NCCL)}),
        (torch.backends.cuda, {"is_built": constant(True)}),
        (torch.backends.cudnn, {"is_available": constant(True), "is_acceptable": constant(False)}),
    ]


def _mps_parts() -> list[tuple[Any, dict[str, Any]]]:
    return [(torch.backends.mps, {"is_available": constant(True), "is_built": constant(True)})]


_PARTS = {"cuda": _cuda_parts, "mps": _mps_parts}
"""Further modules with functions for one type of device."""


class _Unmarked(nullcontext[None]):
    """A range of a profiler, without effect."""

    def __init__(self, *_: Any, **__: Any) -> None:
        super().__init__(None)


def _properties() -> SimpleNamespace:
    major, minor = CAPABILITY
    return SimpleNamespace(
        name=NAME,
        major=major,
        minor=minor,
        total_memory=TOTAL_MEMORY,
        multi_processor_count=108,
        warp_size=32,
        is_integrated=False,
        is_multi_gpu_board=False,
        max_threads_per_multi_processor=2048,
        shared_memory_per_block=49152,
        regs_per_multiprocessor=65536,
        gcnArchName="",
        L2_cache_size=40 * 2**20,
        has_fp64=True,
    )


def _capability(properties: SimpleNamespace) -> tuple[int, int]:
    return properties.major, properties.minor


def _exchange(devices: Devices, index: int) -> int:
    """Make a device current, as `torch.cuda.device` does; a negative index changes nothing."""
    before = devices.current
    if index >= 0:
        devices.current = index
    return before if index >= 0 else -1


def device_context(devices: Devices) -> type:
    """Create a class of contexts like `torch.cuda.device`."""

    class device:  # noqa: N801 - torch's name
        """Makes a device the current one in a block."""

        def __init__(self, device: Any) -> None:
            self.idx = devices.index_of(device)
            self.prev_idx = -1

        def __enter__(self) -> None:
            self.prev_idx = _exchange(devices, self.idx)

        def __exit__(self, *_: object) -> None:
            _exchange(devices, self.prev_idx)

    return device


def _device_of(devices: Devices, context: type) -> type:
    class device_of(context):  # type: ignore[misc] # noqa: N801 - torch's name
        """Makes a tensor's device the current one in a block; no effect for a host tensor."""

        def __init__(self, tensor: torch.Tensor) -> None:
            place = tensor.device
            super().__init__(place.index if place.type == devices.type else -1)

    return device_of


def _runtime() -> SimpleNamespace:
    """The functions of the CUDA runtime that programs call through torch, without effect."""
    names = ("cudaProfilerStart", "cudaProfilerStop", "cudaDeviceSynchronize", "cudaHostRegister")
    return SimpleNamespace(
        **{name: constant(0) for name in names},
        cudaMemGetInfo=constant((TOTAL_MEMORY, TOTAL_MEMORY)),
        cudaGetErrorString=constant("no error"),
    )
