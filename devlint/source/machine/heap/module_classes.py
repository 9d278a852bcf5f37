"""Classes outside the project whose objects are modules."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import lru_cache

MODULE_BASES = frozenset(
    {"torch.nn.Module", "torch.jit.ScriptModule", "lightning.pytorch.LightningModule",
     "lightning.LightningModule", "torchmetrics.Metric", "torchmetrics.metric.Metric",
     "transformers.PreTrainedModel", "diffusers.ModelMixin", "diffusers.models.ModelMixin"}
)  # fmt: skip
"""Classes outside the file whose subclasses are modules, besides all of `torch.nn`."""


@lru_cache(1024)
def is_module_class(name: str) -> bool:
    """Whether a class outside the file, by canonical name, is an `nn.Module`."""
    if name in MODULE_BASES:
        return True
    head, _, last = name.rpartition(".")
    return (
        head == "torch.nn"
        and last[:1].isupper()
        and last not in {"Parameter", "Buffer", "UninitializedParameter", "UninitializedBuffer"}
    )


def may_be_module_class(names: Iterable[str]) -> bool:
    """Whether one of the classes outside the file, by canonical name, is of a library that is not read.

    It may be an `nn.Module` then.
    """
    return any(name.partition(".")[0] not in _READ for name in names)


_READ = frozenset({"torch", "numpy", "builtins", "typing_extensions", *sys.stdlib_module_names})
"""Libraries whose classes are known to be modules or none."""
