"""Translates between canonical names and the objects of the installed torch."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from functools import cache

import torch
import torch.accelerator
import torch.distributions
import torch.fft
import torch.linalg
import torch.nested
import torch.nn.functional
import torch.signal.windows
import torch.sparse
import torch.special
import torch.testing
from torch import overrides

_MISSING = object()
_PUBLIC = (
    ("torch", torch),
    ("torch.nn.functional", torch.nn.functional),
    ("torch.linalg", torch.linalg),
    ("torch.fft", torch.fft),
    ("torch.special", torch.special),
    ("torch.sparse", torch.sparse),
    ("torch.signal.windows", torch.signal.windows),
)


def resolve(name: str) -> object | None:
    """The object with a canonical name; None if there is none."""
    value: object = torch
    for part in name.split(".")[1:]:
        look_up = inspect.getattr_static if value is torch.Tensor else getattr
        value = look_up(value, part, _MISSING)
        if value is _MISSING:
            return None
    return value


@cache
def overridable_names() -> tuple[str, ...]:
    """Canonical names of all functions of `torch.overrides.get_overridable_functions()`, sorted."""
    names = set()
    for functions in overrides.get_overridable_functions().values():
        for function in functions:
            name = overrides.resolve_name(function)
            if name:
                names.add(canonical(name))
    return tuple(sorted(names))


def canonical(name: str) -> str:
    """The canonical name of one of torch's functions: `torch.functional.norm` is `torch.norm`."""
    for suffix in (".__get__", ".__set__", ".__delete__"):
        name = name.removesuffix(suffix)
    if name.startswith("torch.functional."):
        return name.replace(".functional", "", 1)
    return name


@cache
def required_names() -> tuple[str, ...]:
    """What the table must cover: every overridable function, and the public functions beside them."""
    return tuple(sorted({*overridable_names(), *_public_functions()}))


def _public_functions() -> Iterable[str]:
    for prefix, namespace in _PUBLIC:
        for name, value in vars(namespace).items():
            if not name.startswith("_") and (inspect.isbuiltin(value) or _is_own(value, prefix)):
                yield f"{prefix}.{name}"
    for name in dir(torch.Tensor):
        if not name.startswith("_"):
            yield f"torch.Tensor.{name}"


def _is_own(value: object, module: str) -> bool:
    """Whether the module itself defines it in Python; most such functions of torch are not operators."""
    return inspect.isfunction(value) and value.__module__ == module and module != "torch"
