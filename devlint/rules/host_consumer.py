"""DL107: something that reads host memory is given a device tensor."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import (
    Draft,
    Kind,
    Operand,
    Operation,
    Severity,
    may_be_accelerator,
)
from devlint.operators import Consumption, DeviceRule, ResultKind, find, find_host_consumer
from devlint.rules import wording
from devlint.rules.base import Example, Rule
from devlint.rules.operand_text import copy_to_host


class HostConsumer(Rule[Operation]):
    """
    ## What it does
    Reports a tensor on an accelerator that is passed to code that reads host memory: `.numpy()`, or a
    function of NumPy, Matplotlib or pandas.

    ## Why it matters
    The call raises `can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor
    to host memory first.` On a machine without an accelerator it works, so tests there do not find it.
    accelerate, AllenNLP, flair, BoTorch, pytorch-forecasting, PyTorch Geometric and nerfstudio had this
    bug.

    ## Use instead
    Call `.cpu()` first, which costs nothing on the CPU. The copy makes the host wait for the device: keep
    it out of training loops.

    ## When not to
    `.numpy(force=True)` copies by itself and is not reported.

    The finding is only `possible` for a parameter whose device is unknown, unless the function copies
    other tensors from the same source to the host, or reads the parameter's device.

    ## References
    - [huggingface/accelerate#945](https://github.com/huggingface/accelerate/pull/945)
    - [pytorch/botorch@6aa93d6](https://github.com/pytorch/botorch/commit/6aa93d669)
    - [`Tensor.numpy`](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.numpy.html)
    """

    code = "DL107"
    name = "host-consumer"
    severity = Severity.ERROR
    enabled = True
    event = Operation
    examples = (
        Example(
            bad="""
                import torch
                from torch import nn

                device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
                model = nn.Linear(16, 4).to(device)

                @torch.no_grad()
                def predict(rows):
                    logits = model(torch.as_tensor(rows, device=device))
                    return logits.argmax(-1).numpy()  # error: [DL107]
            """,
            good="""
                import torch
                from torch import nn

                device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
                model = nn.Linear(16, 4).to(device)

                @torch.no_grad()
                def predict(rows):
                    logits = model(torch.as_tensor(rows, device=device))
                    return logits.argmax(-1).cpu().numpy()
            """,
            fixed="""
                import torch
                from torch import nn

                device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
                model = nn.Linear(16, 4).to(device)

                @torch.no_grad()
                def predict(rows):
                    logits = model(torch.as_tensor(rows, device=device))
                    return logits.argmax(-1).detach().cpu().numpy()
            """,
        ),
        Example(
            bad="""
                import numpy as np
                import torch

                def angles(camera: torch.Tensor) -> np.ndarray:
                    focal = camera[:, 0].to("cuda")
                    return np.arctan(focal)  # error: [DL107]
            """,
            good="""
                import numpy as np
                import torch

                def angles(camera: torch.Tensor) -> np.ndarray:
                    focal = camera[:, 0].to("cuda")
                    return np.arctan(focal.cpu())
            """,
        ),
        Example(
            bad="""
                import torch
                from scipy import ndimage
                from torch import nn

                class Distances(nn.Module):
                    def forward(self, mask: torch.Tensor) -> torch.Tensor:
                        found = ndimage.distance_transform_edt(mask.numpy())  # error: [DL107]
                        return torch.from_numpy(found).to(mask.device)
            """,
            good="""
                import torch
                from scipy import ndimage
                from torch import nn

                class Distances(nn.Module):
                    def forward(self, mask: torch.Tensor) -> torch.Tensor:
                        found = ndimage.distance_transform_edt(mask.cpu().numpy())
                        return torch.from_numpy(found).to(mask.device)
            """,
        ),
        Example(
            bad="""
                import matplotlib.pyplot as plt
                import torch

                losses = torch.zeros(100, device="cuda")
                plt.plot(losses)  # error: [DL107]
            """,
            good="""
                import matplotlib.pyplot as plt
                import torch

                losses = torch.zeros(100, device="cuda")
                plt.plot(losses.cpu())
            """,
        ),
    )

    def check(self, event: Operation) -> Iterable[Draft]:
        """One draft for each tensor that is on a device."""
        on_device = [
            operand
            for operand in event.operands
            if operand.kind is Kind.TENSOR and (operand.brought_down or may_be_accelerator(operand.device))
        ]
        if not on_device or not _reads_host_memory(event):
            return
        for operand in on_device:
            yield self._draft(event, operand)

    def _draft(self, event: Operation, operand: Operand) -> Draft:
        return Draft(
            code=self.code,
            message=f"{wording.is_on(operand)}, but {wording.operation(event)} reads host memory",
            site=event.site,
            notes=(*wording.labels((operand,)), *wording.history(operand)),
            help=f"copy it to the host first: `{operand.path}{_copy(operand)}`",
            fix=copy_to_host(operand, _copy(operand)),
            cause=event.site,
        )


def _copy(operand: Operand) -> str:
    """The calls that make host memory of a tensor. NumPy rejects a tensor that requires a gradient."""
    has_no_gradient = operand.boolean or operand.path.endswith(".detach()")
    return ".cpu()" if has_no_gradient else ".detach().cpu()"


def _reads_host_memory(event: Operation) -> bool:
    """Whether the operation returns an array, or is a function outside of torch; not with `force=True`, which
    copies."""
    if any(operand.parameter == "force" for operand in event.operands):
        return False
    operator = find(event.operator)
    if operator is None:
        consumer = find_host_consumer(event.operator)
        return consumer is not None and consumer.does is Consumption.RAISES
    return operator.rule is DeviceRule.HOST_READ and operator.result.kind is ResultKind.ARRAY
