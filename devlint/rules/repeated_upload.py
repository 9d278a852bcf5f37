"""DL307: the same data are uploaded again and again."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Draft, Severity, Transfer
from devlint.rules.base import Example, Rule
from devlint.rules.transfer import is_upload
from devlint.rules.wording import history, named


class RepeatedUpload(Rule[Transfer]):
    """
    ## What it does
    Reports a copy to a device of host memory that was copied to the same device before and has not been
    written since, by another line, or by the same line in another call.

    - A run recognizes the memory itself, whatever the tensor is called, and the values of a NumPy array from
      which tensors are made.
    - The check recognizes a tensor that a module stores in a plain attribute, if `forward` copies it, or
      a part of it, in each call; an array that a variable or an attribute holds, if the loop does not
      write to it; and a tensor that one turn of a loop copies twice.

    ## Why it matters
    Each copy moves the same bytes again and, unless it is asynchronous, makes the host wait. Positional
    tables, masks, class weights and whole data sets are typical.

    ## Use instead
    Upload once and keep the result: in a buffer of the module (`register_buffer`), an attribute, or an
    argument.

    ## When not to
    Ignore the finding where the device does not have enough memory to keep the tensor.

    ## References
    - [NVIDIA/TensorRT-LLM#16680](https://github.com/NVIDIA/TensorRT-LLM/pull/16680)
    - [Lightning-AI/pytorch-lightning#17334](https://github.com/Lightning-AI/pytorch-lightning/pull/17334)
    """

    code = "DL307"
    name = "repeated-upload"
    severity = Severity.WARNING
    enabled = True
    event = Transfer
    yields_to = ("DL302",)
    examples = (
        Example(
            bad="""
                import torch
                from torch import nn

                class Positions(nn.Module):
                    def __init__(self, length: int, width: int):
                        super().__init__()
                        self.table = torch.randn(length, width)

                    def forward(self, x: torch.Tensor) -> torch.Tensor:
                        return x + self.table[: x.shape[1]].to(x.device)  # error: [DL307]
            """,
            good="""
                import torch
                from torch import nn

                class Positions(nn.Module):
                    def __init__(self, length: int, width: int):
                        super().__init__()
                        self.register_buffer("table", torch.randn(length, width), persistent=False)

                    def forward(self, x: torch.Tensor) -> torch.Tensor:
                        return x + self.table[: x.shape[1]]
            """,
        ),
        Example(
            bad="""
                import torch

                positions = torch.arange(2048).view(64, 32)

                def encode(x):
                    return x + positions.cuda()

                def decode(x):
                    return x - positions.cuda()  # error: [DL307]

                x = torch.zeros(64, 32, device="cuda")
                x = decode(encode(x))
            """,
            good="""
                import torch

                positions = torch.arange(2048, device="cuda").view(64, 32)

                def encode(x):
                    return x + positions

                def decode(x):
                    return x - positions

                x = torch.zeros(64, 32, device="cuda")
                x = decode(encode(x))
            """,
            in_run=True,
        ),
        Example(
            bad="""
                import torch

                weights = torch.rand(1000)
                plain = torch.nn.CrossEntropyLoss(weights.cuda())
                smooth = torch.nn.CrossEntropyLoss(weights.cuda(), label_smoothing=0.1)  # error: [DL307]
            """,
            good="""
                import torch

                weights = torch.rand(1000, device="cuda")
                plain = torch.nn.CrossEntropyLoss(weights)
                smooth = torch.nn.CrossEntropyLoss(weights, label_smoothing=0.1)
            """,
            in_run=True,
        ),
    )

    def check(self, event: Transfer) -> Iterable[Draft]:
        """An upload of values that were uploaded before."""
        if not event.repeated or not is_upload(event):
            return
        yield Draft(
            code=self.code,
            message=f"{named(event.operand)} is copied to {event.target} again, although it has not changed",
            site=event.site,
            notes=history(event.operand),
            help="keep the result of the first copy",
            cause=event.site,
        )
