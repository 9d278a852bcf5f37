"""Checkpoints and batches: where tensors come from that no call of the program creates.

`torch.load` creates tensors from storages, which no mode gets. A data loader creates batches in torch's own
code, from whatever a data set returns.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from sys import _getframe
from typing import Any

import torch
from torch.utils.data.dataloader import _BaseDataLoaderIter

from devlint.instrumentation.hooks import Failed, run_safely
from devlint.instrumentation.patches import Patches
from devlint.model import OriginStep, SiteId, Step
from devlint.operators import takes_host_data
from devlint.runtime.interception.wrapping import Here
from devlint.runtime.observer.operands import device_of
from devlint.runtime.places.frames import user_frame
from devlint.runtime.places.sites import Sites
from devlint.tensors.provenance import origin_of, remember

_LOAD = "torch.load"
_LOADER = "torch.utils.data.DataLoader"
_MAX_DEPTH = 6
"""How deep containers are searched: a checkpoint has an optimizer's state by parameter and by name."""


def patch(patches: Patches, sites: Sites, here: Here, failed: Failed) -> None:
    """Record where tensors were loaded. `failed` is called with an internal error."""

    def around(name: str, load: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(load)
        def load_and_remember(*args: Any, **kwargs: Any) -> Any:
            loaded = load(*args, **kwargs)
            frame = _getframe(1)

            def remember_loaded() -> None:
                if here() is not None:
                    _remember(loaded, sites.at(user_frame(frame)), name)

            run_safely(remember_loaded, failed)
            return loaded

        return load_and_remember

    patches.wrap(torch, "load", functools.partial(around, _LOAD))
    patches.wrap(_BaseDataLoaderIter, "__next__", functools.partial(around, _LOADER))


def _remember(loaded: object, site: SiteId, name: str) -> None:
    for tensor in _tensors(loaded):
        if name == _LOAD or _is_from_python(tensor):
            remember(tensor, OriginStep(Step.MADE, site, device_of(tensor), name))


def _is_from_python(tensor: torch.Tensor) -> bool:
    """Whether a tensor was created from Python numbers, such as the labels of a data set."""
    made = origin_of(tensor).made()
    return made is not None and takes_host_data(made.operator)


def _tensors(value: object, depth: int = 0) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, torch.nn.Module):
        yield from (*value.parameters(), *value.buffers())
    elif depth < _MAX_DEPTH and isinstance(value, dict | list | tuple):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _tensors(item, depth + 1)
