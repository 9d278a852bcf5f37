"""Classes outside the project whose objects are modules."""

from __future__ import annotations

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
