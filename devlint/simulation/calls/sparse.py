"""Functions that create sparse tensors from their parts."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from devlint.simulation import errors
from devlint.simulation.calls.arguments import argument
from devlint.simulation.calls.moves import transfer
from devlint.simulation.devices import HOST
from devlint.simulation.labels import label_of, set_label
from devlint.simulation.layer import Handler, Layer
from devlint.simulation.scope import INHERIT

Arguments = tuple[Any, ...]
Keywords = dict[str, Any]

_BY_ROWS, _BY_COLUMNS = ("crow_indices", "col_indices"), ("ccol_indices", "row_indices")
_INDICES: dict[Any, tuple[str, ...]] = {
    torch.sparse_coo_tensor: ("indices",),
    torch.sparse_csr_tensor: _BY_ROWS,
    torch.sparse_bsr_tensor: _BY_ROWS,
    torch.sparse_csc_tensor: _BY_COLUMNS,
    torch.sparse_bsc_tensor: _BY_COLUMNS,
    torch.sparse_compressed_tensor: ("compressed_indices", "plain_indices"),
}
"""The arguments that come before the values."""


def _sparse(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """With a device, all parts are moved there; without one, the tensor is on the device of its values."""
    asked, kwargs = layer.asked(func, kwargs)
    if kwargs.get("device") is None:
        return _of_parts(layer, func, args, kwargs)
    label = None if asked is INHERIT else asked
    place = label or HOST

    def there(value: Any) -> Any:
        return transfer(layer, value, place) if isinstance(value, Tensor) else value

    args = tuple(map(there, args))
    result = layer.scope.run(func, args, {name: there(value) for name, value in kwargs.items()}, label)
    set_label(result, label)
    return result


def _of_parts(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Indices that are tensors must be on the device of the values; lists are copied there
    (`sparse_coo_tensor_ctor` in torch/csrc/utils/tensor_new.cpp)."""
    names = (*_INDICES[func], "values")
    *indices, values = (argument(args, kwargs, at, name) for at, name in enumerate(names))
    label = label_of(values) if isinstance(values, Tensor) else None
    for name, index_tensor in zip(names, indices, strict=False):
        if values is not None and isinstance(index_tensor, Tensor) and label_of(index_tensor) is not label:
            places = label or HOST, label_of(index_tensor) or HOST
            layer.refuse(errors.parts(_said(name, func, kwargs), *places), func, args, kwargs)
    result = layer.scope.run(func, args, kwargs, label)
    set_label(result, label)
    return result


def _said(name: str, func: Any, kwargs: Keywords) -> str:
    """The name of an argument in error texts, which depends on the compressed layout."""
    names = _INDICES[func]
    if func is torch.sparse_compressed_tensor:
        by_rows = kwargs.get("layout") in (torch.sparse_csr, torch.sparse_bsr)
        return (_BY_ROWS if by_rows else _BY_COLUMNS)[names.index(name)]
    return name


HANDLERS: dict[Any, Handler] = dict.fromkeys(_INDICES, _sparse)
