"""DL208: a device scalar is passed as a Python number."""

from __future__ import annotations

from devlint.model import Cause, Operand, Synchronization
from devlint.operators import SCALAR_ARGUMENT_WAITS, find
from devlint.rules.base import Example
from devlint.rules.wait import WaitRule
from devlint.rules.wording import named, operator


def _is_scalar_argument(event: Synchronization) -> bool:
    """Whether the scalar that is read is the caller's; of what the table does not know, it may be."""
    row = find(event.operator)
    return row is None or any(
        sync.cause is Cause.HIDDEN_READ and sync.when in SCALAR_ARGUMENT_WAITS for sync in row.syncs
    )


class HiddenScalarRead(WaitRule):
    """
    ## What it does
    Reports a device scalar that is passed where an operator takes a Python number, on a hot path: `x[t]`,
    `torch.arange(t)`, `torch.full(size, t)`, `x.narrow(0, t, 1)`, `x.masked_fill(mask, t)`.

    ## Why it matters
    Torch reads the number implicitly, as `.item()` does, and the host waits for the device. A change in
    diffusers moved one such read out of a denoising loop (huggingface/diffusers#13461).

    ## Use instead
    If the number comes from Python, keep it in Python. If it comes from the device, use an operator that
    takes a tensor: `x[t.view(1)]` instead of `x[t]`, `torch.where(mask, t, x)` instead of `masked_fill`.

    ## When not to
    Ignore the finding where a size really depends on values.

    ## References
    - `torch/csrc/utils/python_arg_parser.cpp` and `aten/src/ATen/native/cuda/Indexing.cu` in PyTorch
    - [pytorch/pytorch#190512](https://github.com/pytorch/pytorch/pull/190512), which would mend `masked_fill`
    - [huggingface/diffusers#13461](https://github.com/huggingface/diffusers/pull/13461)
    """

    code = "DL208"
    name = "hidden-scalar-read"
    enabled = True
    cause = Cause.HIDDEN_READ
    help_text = "use an operator that takes a tensor there, or keep the number in Python"
    examples = (
        Example(
            bad="""
                from torch import nn

                class BestRow(nn.Module):
                    def __init__(self, width):
                        super().__init__()
                        self.score = nn.Linear(width, 1)

                    def forward(self, x):
                        best = self.score(x).argmax()
                        return x[best]  # error: [DL208]
            """,
            good="""
                from torch import nn

                class BestRow(nn.Module):
                    def __init__(self, width):
                        super().__init__()
                        self.score = nn.Linear(width, 1)

                    def forward(self, x):
                        best = self.score(x).argmax()
                        return x[best.view(1)].squeeze(0)
            """,
        ),
        Example(
            bad="""
                import torch
                from torch import nn

                device = torch.device("cuda")
                model = nn.Linear(16, 16).to(device)
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

                def train(loader):
                    for x in loader:
                        h = model(x.to(device))
                        h = h.masked_fill(h < 0, h.mean())  # error: [DL208]
                        optimizer.zero_grad()
                        h.square().mean().backward()
                        optimizer.step()
            """,
            good="""
                import torch
                from torch import nn

                device = torch.device("cuda")
                model = nn.Linear(16, 16).to(device)
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

                def train(loader):
                    for x in loader:
                        h = model(x.to(device))
                        h = torch.where(h < 0, h.mean(), h)
                        optimizer.zero_grad()
                        h.square().mean().backward()
                        optimizer.step()
            """,
        ),
    )

    def remedy(self, event: Synchronization) -> str:
        """Differs if the operator reads a value that it computed itself."""
        if _is_scalar_argument(event):
            return self.help_text
        return "call it less often, or use a variant without checks, such as `torch.linalg.inv_ex`"

    def doing(self, event: Synchronization, operand: Operand) -> str:
        if not _is_scalar_argument(event):
            return f"an internal read of {operator(event.operator)}"
        what = named(operand) if operand.rank0 is True else "a scalar"
        return f"reading {what} for {operator(event.operator)}"
