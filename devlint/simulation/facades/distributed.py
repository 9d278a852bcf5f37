"""`torch.distributed`: processes use gloo, which the CPU has, if a program requests a backend for devices.

A process group reports the requested backend, and accepts the tensors that this backend accepts. Only tensors
passed by the program or by torch's Python code are checked; tensors that torch creates in C++ have no label.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, distributed
from torch._C import DisableTorchFunction
from torch.utils._pytree import tree_leaves

from devlint.instrumentation.patches import Patches
from devlint.simulation.collectives import refusal
from devlint.simulation.devices import Devices
from devlint.simulation.scope import CallScope

_GLOO = "gloo"
_OF_DEVICES = frozenset({"nccl", "xccl"})
"""Backends that only builds of torch for accelerators have."""
_COLLECTIVES = (
    "broadcast",
    "allreduce",
    "allreduce_coalesced",
    "reduce",
    "allgather",
    "all_gather_single",
    "_allgather_base",
    "allgather_coalesced",
    "all_gather_single_coalesced",
    "allgather_into_tensor_coalesced",
    "gather",
    "scatter",
    "reduce_scatter",
    "reduce_scatter_single",
    "_reduce_scatter_base",
    "reduce_scatter_single_coalesced",
    "reduce_scatter_tensor_coalesced",
    "alltoall",
    "all_to_all_single",
    "alltoall_base",
    "send",
    "recv",
    "recv_anysource",
)
"""Methods of process groups with tensor arguments, by their names in torch 2.6 to 2.15."""

Current = Callable[[], CallScope | None]
"""Returns the running torch function of the calling thread."""
Refuse = Callable[[Exception], None]
"""Raises the error, unless a guard lets the program continue."""


def patch(patches: Patches, devices: Devices, scope: Current, refuse: Refuse) -> None:
    """Replace backends of devices, and let `DistributedDataParallel` reduce on the device of its
    parameters."""
    if not distributed.is_available():
        return
    c10d = distributed.distributed_c10d
    patches.wrap(distributed, "init_process_group", _of_any_device)
    patches.wrap(c10d, "_new_process_group_helper", functools.partial(_by_gloo, devices.type))
    patches.replace(c10d, "default_pg_nccl_timeout", c10d.default_pg_timeout)
    patches.replace(distributed, "is_nccl_available", lambda: True)
    group = distributed.ProcessGroup
    patches.replace(group, "_device_types", _device_types(vars(group)["_device_types"]))
    for name in _COLLECTIVES:
        patches.wrap(group, name, functools.partial(_judged, devices.type, scope, refuse))
    patches.replace(distributed, "Reducer", _reducing(vars(distributed)["Reducer"], scope))


def _reducing(reducer: Any, scope: Current) -> Any:
    """A reducer whose buckets are on the device of its parameters. It creates them twice: at first, and again
    when it knows the order of the gradients."""

    class Reducer(reducer):  # type: ignore[misc]
        def __init__(self, parameters: Any, *args: Any, **kwargs: Any) -> None:
            self._parameters = parameters
            self._on_device_of_parameters(lambda: super(Reducer, self).__init__(parameters, *args, **kwargs))

        def _rebuild_buckets(self) -> bool:
            return bool(self._on_device_of_parameters(super()._rebuild_buckets))

        def _on_device_of_parameters(self, make: Callable[[], Any]) -> Any:
            running = scope()
            return make() if running is None else running.run(lambda _: make(), (self._parameters,), {})

    return Reducer


def _of_any_device(start: Callable[..., Any]) -> Callable[..., Any]:
    """Remove the device that a process is bound to, which gloo does not accept."""

    @functools.wraps(start)
    def begin(*args: Any, **kwargs: Any) -> Any:
        kwargs.pop("device_id", None)
        return start(*args, **kwargs)

    return begin


def _by_gloo(type: str, make: Callable[..., Any]) -> Callable[..., Any]:  # noqa: A002 - torch.device calls it so
    """Create process groups that report a backend of devices and use gloo."""
    signature = inspect.signature(make)

    @functools.wraps(make)
    def make_by_gloo(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        backend = bound.arguments["backend"]
        asked = _backends(type, backend)
        if not _OF_DEVICES.intersection(asked.values()):
            return make(*args, **kwargs)
        bound.arguments["backend"] = distributed.Backend(_GLOO)
        made = make(*bound.args, **bound.kwargs)
        group, world = made[0], distributed.distributed_c10d._world
        if group in world.pg_map:
            world.pg_map[group] = (backend, world.pg_map[group][1])
            world.pg_backend_config[group] = ",".join(":".join(pair) for pair in asked.items())
        return made

    return make_by_gloo


def _backends(type: str, backend: Any) -> dict[str, str]:  # noqa: A002 - as above
    """The backend for each device type that a program requests. Without a request, torch selects the backend
    of the accelerator only."""
    known = distributed.Backend
    if backend == known.UNDEFINED:
        return {type: str(known.default_device_backend_map.get(type, _GLOO))}
    found = distributed.distributed_c10d.BackendConfig(backend).get_device_backend_map()
    return {device: str(name) for device, name in found.items()}


def _device_types(real: Any) -> property:
    def types(group: Any) -> list[torch.device]:
        config = distributed.distributed_c10d._world.pg_backend_config.get(group)
        if config is None:
            found: list[torch.device] = real.fget(group)
            return found
        return [torch.device(pair.partition(":")[0]) for pair in config.split(",")]

    return property(types)


def _judged(
    type: str,  # noqa: A002 - as above
    scope: Current,
    refuse: Refuse,
    communicate: Callable[..., Any],
) -> Callable[..., Any]:
    """A collective that takes tensors of the types of devices for which its group has a backend."""

    @functools.wraps(communicate)
    def communicate_judged(group: Any, *args: Any, **kwargs: Any) -> Any:
        if scope() is not None:
            with DisableTorchFunction():
                tensors = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)]
                error = refusal(group, tensors, type)
            if error is not None:
                refuse(error)
        return communicate(group, *args, **kwargs)

    return communicate_judged
