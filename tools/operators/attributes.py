"""Names of attributes that only tensors have, among the objects that programs use."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence
from torchgen.model import Variant

from tools.operators.schema import parsed

_HAND = Path(__file__).parent / "hand"
_GENERIC = _HAND / "generic_attributes.txt"
_FUNCTIONS = _HAND / "functions_of_tensors.txt"
_NUMBERS = frozenset({"int", "int?", "SymInt"})
"""The types of a schema that take a number and no sequence of numbers."""
_OTHERS = (
    np.ndarray,
    nn.Module,
    torch.Generator,
    torch.Size,
    torch.UntypedStorage,
    torch.cuda.Event,
    torch.cuda.Stream,
    torch.device,
    torch.distributions.Distribution,
    torch.dtype,
    torch.optim.Optimizer,
    torch.utils.data.DataLoader,
    torch.utils.data.Dataset,
    PackedSequence,
    bytes,
    complex,
    dict,
    float,
    int,
    list,
    set,
    str,
)


def text() -> str:
    """The content of `devlint/operators/data/tensor_attributes.txt`: one name a line."""
    names = {name for name in dir(torch.Tensor) if not name.startswith("_")}
    return _lines(names - _of_others() - _listed(_GENERIC) - _listed(_FUNCTIONS))


def text_of_methods_of_numbers() -> str:
    """The content of `devlint/operators/data/tensor_methods_of_numbers.txt`: one name a line."""
    return _lines(_listed(_FUNCTIONS) & _methods_of_numbers() - _of_others())


def _of_others() -> set[str]:
    """The attributes of other classes of torch, of NumPy's arrays and of Python's types."""
    return {name for other in _OTHERS for name in dir(other)}


def _methods_of_numbers() -> set[str]:
    """The methods of tensors that take a number as their first argument, by torch's schemas."""
    found = set()
    for function in parsed().native_functions:
        taken = [argument for argument in function.func.arguments.flat_positional if argument.name != "self"]
        if Variant.method in function.variants and taken and str(taken[0].type) in _NUMBERS:
            found.add(str(function.func.name.name))
    return found


def _listed(file: Path) -> set[str]:
    lines = file.read_text(encoding="utf-8").splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def _lines(names: set[str]) -> str:
    return "".join(f"{name}\n" for name in sorted(names))
