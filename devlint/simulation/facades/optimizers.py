"""Optimizers and gradient clipping: the algorithms of the CPU, for groups of tensors by simulated device."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import cache, wraps
from typing import Any, Final

import torch
from torch import Tensor
from torch.optim import optimizer, swa_utils

from devlint.instrumentation.mode_stack import all_are_ours, modes
from devlint.instrumentation.patches import Patches
from devlint.simulation.devices import HOST, Devices
from devlint.simulation.direct import is_alone
from devlint.simulation.facades.device_module import replace_existing
from devlint.simulation.labels import label_new, label_of
from devlint.simulation.layer import Layer
from devlint.tensors.provenance import derive

Step = Callable[..., None]
"""Changes parameters, given lists with a tensor for each of them, and the optimizer's options."""


def patch(patches: Patches, _: Devices) -> None:
    """Let optimizers use the default of the CPU: no `foreach`, unless the program requests it."""
    for module in (optimizer, swa_utils):
        replace_existing(patches, module, {"_get_foreach_kernels_supported_devices": list})
    replace_existing(patches, torch._C, {"_group_tensors_by_device_and_dtype": _group})
    for name in _ALGORITHMS:
        patches.wrap(importlib.import_module(f"torch.optim.{name}"), f"_single_tensor_{name}", _directly)


def _group(tensor_lists: list[list[Any]], with_indices: bool = False) -> dict[Any, Any]:
    """Group tensors by device and dtype. For torch's own function, all simulated devices are one."""
    groups: dict[Any, Any] = {}
    for position, first in enumerate(tensor_lists[0]):
        with torch._C.DisableTorchFunction():
            key = (label_of(first) or HOST, first.dtype)
        lists, indices = groups.setdefault(key, ([[] for _ in tensor_lists], []))
        for values, tensors in zip(lists, tensor_lists, strict=True):
            if tensors:  # lists are empty if the optimizer's options do not use them
                values.append(tensors[position])
        if with_indices:
            indices.append(position)
    return groups


def _directly(step: Step) -> Step:
    """A step that runs without a look at its functions and kernels where its tensors are on one device.

    A dozen small kernels for each parameter cost less than the modes that look at them, and have nothing to
    tell: they compute on that device, and read the number of the step alone, which is on the host.
    """
    counts = _position_of_counts(step)

    @wraps(step)
    def run(*lists: Any, **options: Any) -> None:
        layer = _watching()
        label: Any = _MIXED if layer is None else _agreed(layer, lists, options, counts)
        if layer is None or label is _MIXED:
            return step(*lists, **options)
        before = [[*values] if values else [] for values in lists]
        with torch._C.DisableTorchFunction():
            guard = torch._C._DisableTorchDispatch()
            try:
                step(*lists, **options)
            finally:
                del guard
                _note_new(layer, lists, before, label)
        return None

    marks = vars(run)  # by which TorchScript compiles the function that this one stands for
    marks["__script_if_tracing_wrapper"], marks["__original_fn"] = True, step
    return run


@cache
def _position_of_counts(step: Step) -> int | None:
    """The position of the list of the numbers of steps; None if there is none."""
    names = list(inspect.signature(step).parameters)
    return names.index(_COUNTS) if _COUNTS in names else None


def _watching() -> Layer | None:
    """The simulation's mode, if only devlint sees functions and kernels, and autograd records nothing."""
    if torch.is_grad_enabled() or not is_alone() or not all_are_ours():
        return None
    return next((mode for mode in modes() if isinstance(mode, Layer) and not mode.has_before), None)


def _agreed(layer: Layer, lists: Sequence[Any], options: dict[str, Any], counts: int | None) -> Any:
    try:
        with torch._C.DisableTorchFunction():
            return _common(lists, options, counts)
    except Exception as error:  # devlint's own: the program must not notice
        layer.failed(error)
        return _MIXED


def _common(lists: Sequence[Any], options: dict[str, Any], counts: int | None) -> Any:
    """The label of all tensors but the numbers of steps, which have to be on the host; `_MIXED` if they
    differ, or if an option has the step read or compute anything else."""
    if any(isinstance(value, Tensor) for value in options.values()):
        return _MIXED
    if any(options.get(name) for name in ("capturable", "differentiable")):
        return _MIXED
    labels = set()
    for position, values in enumerate(lists):
        if isinstance(values, Tensor):
            return _MIXED
        for tensor in values or ():
            if tensor is None:
                continue
            if type(tensor) not in _CLASSES or tensor.layout is not torch.strided:
                return _MIXED
            if position != counts and tensor.dtype not in _DTYPES:
                return _MIXED
            if position != counts:
                labels.add(label_of(tensor))
            elif label_of(tensor) is not None:
                return _MIXED
    return labels.pop() if len(labels) == 1 else _MIXED


def _note_new(
    layer: Layer, lists: Sequence[Any], before: Iterable[Sequence[Tensor | None]], label: torch.device | None
) -> None:
    """Label what a step has put into its lists, such as momentum in the first step."""
    try:
        for values, previous in zip(lists, before, strict=True):
            for new, old, gradient in zip(values or (), previous, lists[_GRADIENTS], strict=False):
                if new is not old and label is not None:
                    label_new(new, label)
                elif new is not old:
                    derive(new, (gradient,))
    except Exception as error:  # devlint's own: the program must not notice
        layer.failed(error)


_MIXED: Final = object()
_CLASSES = (Tensor, torch.nn.Parameter)
_DTYPES = (torch.float32, torch.float64)
"""For which the CPU has all kernels of a step."""
_GRADIENTS = 1
"""The position of the list of gradients."""
_COUNTS = "state_steps"
_ALGORITHMS = ("adadelta", "adagrad", "adam", "adamax", "adamw", "radam", "rmsprop", "rprop", "sgd")
"""Those that read nothing but the number of the step (torch/optim). Others read tensors on the device."""
