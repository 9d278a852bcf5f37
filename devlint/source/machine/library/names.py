"""The meaning of names that no file of the project binds."""

from __future__ import annotations

import builtins
import re
from functools import lru_cache

from devlint.operators import find
from devlint.source import ir
from devlint.source.machine.domain.values import FLOAT, TOP, External, Known, Scalar, Value
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.module_classes import is_module_class
from devlint.source.walk import path

_MODULES_PATH = re.compile(r"torch\.(nn\.modules|optim)\.(?!lr_scheduler|swa_utils)[a-z_0-9]+\.(_?[A-Z]\w*)$")
_BUILTINS = {name: External(f"builtins.{name}") for name in dir(builtins)}
_NUMBERS = frozenset({"math.pi", "math.e", "math.inf", "math.nan", "numpy.pi", "numpy.inf", "numpy.nan",
                      "torch.pi", "torch.inf", "torch.nan"})  # fmt: skip


def builtin(machine: Machine, name: str, frame: Frame) -> Value:
    """The meaning of a name that no scope binds."""
    if name == "__name__":  # the module `builtins` has one, too
        if frame.function is None and frame.file.name == "__main__":
            machine.process.reached_main()
        return Known(frame.file.name)
    if name == "__file__":
        return Scalar("str")
    of_python = _BUILTINS.get(name)
    if of_python is not None:
        return of_python
    names = [f"{star}.{name}" for star in reversed(frame.file.stars)]
    known = (each for each in names if find(each) is not None or is_module_class(each))
    return External(next(known, names[0])) if names else TOP


@lru_cache(maxsize=10_000)
def external_attribute(head: str, name: str) -> Value:
    """`head.name`, where `head` is imported from outside the project."""
    full = f"{head}.{name}"
    if full == "torch.torch":
        # `torch/functional.py` and others import torch, so that their attribute `torch` is the package.
        return External(head)
    if full in _NUMBERS:
        return FLOAT
    shortened = _MODULES_PATH.match(full)
    if shortened is not None:
        return External(f"torch.{'nn' if shortened[1].startswith('nn') else 'optim'}.{shortened[2]}")
    return External(full)


def external_name(machine: Machine, node: ir.Expression) -> str:
    """The canonical name of a callee."""
    if isinstance(node, ir.CallExpression) and isinstance(node.function, (ir.Attribute, ir.Name)):
        held = machine.evaluate(node.function, machine.frame)
        if isinstance(held, External):
            return held.name
    return path(node)
