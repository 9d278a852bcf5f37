"""DL202: the host decides by the value of a device tensor."""

from __future__ import annotations

from devlint.model import Cause, Operand, Synchronization
from devlint.rules.base import Example
from devlint.rules.wait import WaitRule
from devlint.rules.wording import named


class BranchOnDeviceTensor(WaitRule):
    """
    ## What it does
    Reports `if`, `while`, `assert`, `not`, `and`, `or` and conditional expressions on a device tensor on
    a hot path, `torch.equal` and `torch.allclose`, which return a Python bool, and calls of
    `nn.TransformerEncoder`, `nn.TransformerDecoder` and `nn.Transformer` with a mask of which they do not say
    whether it is causal: these compare it with a causal one.

    ## Why it matters
    Python needs the value to branch, so the host waits for all work that is queued on the device. In
    transformers an `.all()` on the padding mask cost 2 to 3 ms for each generated token
    (huggingface/transformers#43088); x-transformers and PyTorch's `clip_grad_norm_` had such branches
    removed (lucidrains/x-transformers#355, pytorch/pytorch#61042). `torch.compile` has a graph break
    there, too.

    ## Use instead
    Compute unconditionally where that is harmless, select with `torch.where` or `masked_fill`, or decide
    once before the loop.

    ## When not to
    Ignore the finding where the branch saves more work than the synchronization costs, or where only the
    value can end the loop.

    ## References
    - [huggingface/transformers#43088](https://github.com/huggingface/transformers/pull/43088)
    - [lucidrains/x-transformers#355](https://github.com/lucidrains/x-transformers/pull/355)
    - [pytorch/pytorch#61042](https://github.com/pytorch/pytorch/pull/61042)
    """

    code = "DL202"
    name = "branch-on-device-tensor"
    enabled = True
    cause = Cause.BRANCH
    help_text = "choose on the device (`torch.where`, `masked_fill`), or decide once before the loop"
    examples = (
        Example(
            bad="""
                from torch import nn

                class Clean(nn.Module):
                    def __init__(self, width):
                        super().__init__()
                        self.out = nn.Linear(width, width)

                    def forward(self, x):
                        mask = self.out(x) > 0
                        if mask.any():  # error: [DL202]
                            x = x.masked_fill(mask, 0.0)
                        return x
            """,
            good="""
                from torch import nn

                class Clean(nn.Module):
                    def __init__(self, width):
                        super().__init__()
                        self.out = nn.Linear(width, width)

                    def forward(self, x):
                        mask = self.out(x) > 0
                        return x.masked_fill(mask, 0.0)
            """,
        ),
        Example(
            bad="""
                import torch

                device = torch.device("cuda:0")
                model = torch.nn.Linear(8, 8).to(device)
                optimizer = torch.optim.AdamW(model.parameters())

                for batch in range(1000):
                    x = torch.randn(32, 8, device=device)
                    loss = model(x).square().mean()
                    optimizer.zero_grad()
                    loss.backward()
                    if torch.isnan(loss):  # error: [DL202]
                        continue
                    optimizer.step()
            """,
            good="""
                import torch

                device = torch.device("cuda:0")
                model = torch.nn.Linear(8, 8).to(device)
                optimizer = torch.optim.AdamW(model.parameters())

                for batch in range(1000):
                    x = torch.randn(32, 8, device=device)
                    loss = model(x).square().mean().nan_to_num()
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
            """,
        ),
    )

    def remedy(self, event: Synchronization) -> str:
        if event.operator.startswith("torch.nn.Transformer"):
            return "say whether the mask is causal (`is_causal=False`): torch compares it otherwise"
        return self.help_text

    def doing(self, event: Synchronization, operand: Operand) -> str:  # noqa: ARG002
        return f"branching on {named(operand)}"
