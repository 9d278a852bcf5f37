"""`nn.DataParallel` and `torch.cuda.comm`: copies between simulated devices instead of the driver's
copies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn.parallel import _functions

from devlint.instrumentation.patches import Patches
from devlint.simulation.devices import Devices


def patch(patches: Patches, devices: Devices) -> None:
    """Add the functions to `torch._C` that a wheel without CUDA lacks.

    The host waits only for copies that gather on the host (torch/csrc/cuda/comm.cpp).
    """

    def place(index: int) -> Any:
        return "cpu" if index < 0 else devices.at(index)

    def send(tensor: Tensor, index: int) -> Tensor:
        return tensor.to(place(index), non_blocking=True)

    def broadcast(tensor: Tensor, targets: Sequence[int]) -> list[Tensor]:
        return [send(tensor, index) for index in targets]

    def broadcast_coalesced(tensors: Sequence[Tensor], targets: Sequence[int], _: int) -> list[list[Tensor]]:
        return [[send(tensor, index) for tensor in tensors] for index in targets]

    def scatter(tensor: Tensor, targets: Sequence[int], sizes: Any, dim: int, _: Any) -> list[Tensor]:
        chunks = tensor.chunk(len(targets), dim) if sizes is None else torch.split(tensor, list(sizes), dim)
        return [send(chunk.contiguous(), index) for chunk, index in zip(chunks, targets, strict=False)]

    def gather(tensors: Sequence[Tensor], dim: int, target: int | None) -> Tensor:
        at = place(devices.current if target is None else target)
        return torch.cat([tensor.to(at) for tensor in tensors], dim)

    def broadcast_out(tensor: Tensor, outputs: Sequence[Tensor]) -> Sequence[Tensor]:
        for output in outputs:
            output.copy_(tensor, non_blocking=True)
        return outputs

    def scatter_out(tensor: Tensor, outputs: Sequence[Tensor], dim: int, _: Any) -> Sequence[Tensor]:
        for output, chunk in zip(
            outputs, torch.split(tensor, [each.size(dim) for each in outputs], dim), strict=True
        ):
            output.copy_(chunk, non_blocking=True)
        return outputs

    def gather_out(tensors: Sequence[Tensor], output: Tensor, dim: int) -> Tensor:
        parts = torch.split(output, [each.size(dim) for each in tensors], dim)
        for part, tensor in zip(parts, tensors, strict=True):
            part.copy_(tensor)
        return output

    binding: dict[str, Any] = {
        "_broadcast_out": broadcast_out,
        "_scatter_out": scatter_out,
        "_gather_out": gather_out,
        "_broadcast": broadcast,
        "_broadcast_coalesced": broadcast_coalesced,
        "_scatter": scatter,
        "_gather": gather,
    }
    for name, function in binding.items():
        patches.replace(torch._C, name, function)
    # Torch caches streams for copies from the host; cached streams of other devices cannot be used here.
    patches.replace(_functions, "_streams", None)
