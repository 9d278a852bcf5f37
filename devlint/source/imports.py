"""Canonical names: what an imported name stands for, whatever it was imported as."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from devlint.source import ir

ALIASES = (
    ("torch.nn.parameter.", "torch.nn."),
    ("torch.utils.data.dataloader.", "torch.utils.data."),
    ("torch.utils.data.dataset.", "torch.utils.data."),
    ("torch._tensor.Tensor", "torch.Tensor"),
    ("torch.tensor.Tensor", "torch.Tensor"),
    ("torch.autograd.variable.Variable", "torch.autograd.Variable"),
    ("torch.functional.", "torch."),
    ("torch.cuda.amp.", "torch.amp."),
    ("pytorch_lightning.", "lightning.pytorch."),
)
"""Where torch and its relatives export one thing under several names: the left becomes the right."""

STAR_IMPORTS = {
    "torch": ("nn", "optim", "cuda", "device", "Tensor", "tensor", "zeros", "ones", "rand", "randn", "arange",
              "empty", "full", "eye", "linspace", "cat", "stack", "load", "save", "no_grad"),
    "torch.nn": ("Module", "Linear", "Conv1d", "Conv2d", "Conv3d", "Embedding", "Sequential", "ModuleList",
                 "ModuleDict", "Parameter", "ParameterList", "LayerNorm", "BatchNorm1d", "BatchNorm2d",
                 "Dropout", "ReLU", "LSTM", "GRU", "CrossEntropyLoss", "MSELoss", "functional"),
    "torch.nn.functional": ("relu", "softmax", "log_softmax", "cross_entropy", "mse_loss", "linear", "conv2d",
                            "dropout", "pad", "interpolate", "one_hot", "embedding", "normalize"),
    "torch.optim": ("Adam", "AdamW", "SGD", "RMSprop", "Adagrad"),
    "torch.utils.data": ("DataLoader", "Dataset", "TensorDataset", "IterableDataset"),
}  # fmt: skip
"""What `from module import *` brings in, as far as it is looked for: the names that carry devices."""


@cache
def canonical(name: str) -> str:
    """The one name by which the operators table knows a thing."""
    for prefix, replacement in ALIASES:
        if name.startswith(prefix) or name + "." == prefix:
            name = replacement + name[len(prefix) :]
    if name.startswith("torch.nn.modules."):
        name = "torch.nn." + name.rsplit(".", 1)[1]
    return name


def imported_names(statement: ir.Import, absolute: Callable[[str], str]) -> dict[str, str]:
    """The names that one import binds, and the canonical names of what they stand for.

    `absolute` makes one of a name that begins with dots.
    """
    if statement.name == "*":
        return {name: f"{statement.module}.{name}" for name in STAR_IMPORTS.get(statement.module, ())}
    if statement.name:
        target = statement.module + ("" if statement.module.endswith(".") else ".") + statement.name
        return {statement.alias or statement.name: canonical(absolute(target))}
    if statement.alias:
        return {statement.alias: canonical(statement.module)}
    root = statement.module.split(".")[0]
    return {root: root}
