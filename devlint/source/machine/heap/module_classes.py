"""Classes outside the project that are modules."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from functools import lru_cache

_LIGHTNING = tuple(f"{head}{inside}.LightningModule"
                   for head in ("lightning", "lightning.pytorch", "pytorch_lightning")
                   for inside in ("", ".core", ".core.module", ".core.lightning"))  # fmt: skip
MODULE_BASES = frozenset(
    {"torch.nn.Module", "torch.jit.ScriptModule", *_LIGHTNING, "torchmetrics.Metric",
     "torchmetrics.metric.Metric", "einops.layers.torch.EinMix", "einops.layers.torch.Rearrange",
     "einops.layers.torch.Reduce", "transformers.PreTrainedModel",
     "transformers.modeling_utils.PreTrainedModel", "diffusers.ModelMixin", "diffusers.models.ModelMixin"}
)  # fmt: skip
"""Classes outside the project, in addition to `torch.nn`, whose subclasses are modules."""

PARALLEL = frozenset(
    {
        "torch.nn.DataParallel",
        "torch.nn.parallel.DataParallel",
        "torch.nn.parallel.data_parallel.DataParallel",
    }
)
"""Wrappers that distribute their inputs among the devices, wherever the inputs are."""
WRAPPERS = PARALLEL | {
    "torch.nn.parallel.DistributedDataParallel",
    "torch.nn.parallel.distributed.DistributedDataParallel",
    "torch.distributed.fsdp.FullyShardedDataParallel",
    "torch.optim.swa_utils.AveragedModel",
    "deepspeed.DeepSpeedEngine",
}
"""Modules that wrap another one as `module`, and are called like it."""

_OF_LIBRARIES = re.compile(
    r"(torchvision\.models|timm\.models|segmentation_models_pytorch)\.(\w+\.)*[A-Z]\w*(?<!Weights)$"
    r"|transformers\.(\w+\.)*(?!DataCollator)\w+(Model|For[A-Z]\w+)$"
)
"""Classes of models in libraries whose source is not read."""

PLAIN_BASES = frozenset({"abc.ABC", "builtins.object", "typing.Generic", "typing.Protocol"})
"""Classes outside the project that add nothing to their subclasses."""


@lru_cache(1024)
def is_module_class(name: str) -> bool:
    """Whether a class outside the project, by canonical name, is an `nn.Module`."""
    if name in MODULE_BASES or name in WRAPPERS or _OF_LIBRARIES.match(name):
        return True
    head, _, last = name.rpartition(".")
    return (
        head == "torch.nn"
        and last.removeprefix("_")[:1].isupper()
        and last not in {"Parameter", "Buffer", "UninitializedParameter", "UninitializedBuffer"}
    )


def is_model_of_library(name: str) -> bool:
    """Whether a class outside the project and torch is a model, whose constructor makes its parameters. Those
    of transformers from which models derive make none."""
    return _OF_LIBRARIES.match(name) is not None and not name.endswith("PreTrainedModel")


def derives_from(name: str, base: str) -> bool | None:
    """Whether a class of torch derives from another public class of torch; None if that is not known. (As in
    torch 2.13, where most layers derive from none but `nn.Module`.)"""
    one, other = _family(name), _family(base)
    if one and other and one != other:
        return False
    if base == "torch.optim.Optimizer" and one:
        return True
    if base in (name, "torch.nn.Module"):
        return True if is_module_class(name) else None
    head, _, last = name.rpartition(".")
    if head != "torch.nn" or not is_module_class(name) or not base.startswith("torch.nn."):
        return None
    if last == "Module":
        return False
    asked = base.removeprefix("torch.nn.")
    if asked.startswith("_") or "." in asked:  # private base classes of several layers
        return None
    return asked in _BASES.get(last, ()) or asked == last.removeprefix("Lazy")


def _family(name: str) -> str:
    """The kind of a class of torch, where no class is of several: empty if it is not known."""
    if is_module_class(name):
        return "modules"
    return next((each for each in _FAMILIES if name.startswith(each)), "")


_FAMILIES = ("torch.utils.data.", "torch.optim.lr_scheduler.", "torch.optim.")
_BASES = {
    **dict.fromkeys(("GRU", "LSTM", "RNN"), ("RNNBase",)),
    **dict.fromkeys(("GRUCell", "LSTMCell", "RNNCell"), ("RNNCellBase",)),
    **dict.fromkeys(("UpsamplingBilinear2d", "UpsamplingNearest2d"), ("Upsample",)),
    **{f"ZeroPad{rank}d": (f"ConstantPad{rank}d",) for rank in (1, 2, 3)},
    "NLLLoss2d": ("NLLLoss",),
    "ReLU6": ("Hardtanh",),
}
"""The public classes from which public layers derive; lazy layers derive from those that they become."""


def may_be_module_class(names: Iterable[str]) -> bool:
    """Whether one of the classes outside the project, by canonical name, is of a library whose source is not
    read. Then it may be an `nn.Module`."""
    return any(name.partition(".")[0] not in _READ for name in names)


_READ = frozenset({"torch", "numpy", "builtins", "typing_extensions", *sys.stdlib_module_names})
"""Libraries whose classes are known to be modules or not."""
