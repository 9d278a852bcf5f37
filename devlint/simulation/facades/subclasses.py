"""Classes derived from `torch.Tensor` whose constructor passes a tensor to that of torch."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from devlint.instrumentation.patches import Patches
from devlint.simulation.devices import Devices


def patch(patches: Patches, _: Devices) -> None:
    """Let `super().__new__(cls, tensor)` create a view of the tensor, as it does without a dispatch mode.

    Under one, torch's constructor raises, because the mode has already seen the view as a plain tensor.
    """
    make: Any = Tensor.__new__

    def new(*args: Any, **kwargs: Any) -> Any:  # the signature of torch's own, which Dynamo compares
        if len(args) == 2 and not kwargs and args[0] is not Tensor and isinstance(args[1], Tensor):
            with torch._C.DisableTorchFunctionSubclass():
                return args[1].as_subclass(args[0])
        return make(*args, **kwargs)

    patches.replace(Tensor, "__new__", new)
