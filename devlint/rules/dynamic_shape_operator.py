"""DL204: an operator whose result's shape depends on values."""

from __future__ import annotations

from devlint.model import Cause, Operand, Synchronization
from devlint.rules.base import Example
from devlint.rules.wait import WaitRule
from devlint.rules.wording import operator


class DynamicShapeOperator(WaitRule):
    """
    ## What it does
    Reports operators whose result shape depends on values, on a hot path: `nonzero`, one-argument
    `where`, `x[mask]`, `masked_select`, `unique`, `bincount`, `repeat_interleave` without `output_size`,
    `F.one_hot` without `num_classes`.

    ## Why it matters
    The host must know the shape to allocate the result, so it waits for the device. The synchronization
    of `x[mask]` is one of PyTorch's oldest performance reports (pytorch/pytorch#12461). `torch.compile`
    and CUDA graphs cannot contain such operators without a break.

    ## Use instead
    Keep the shape: use `torch.where` or `masked_fill`, or multiply by a mask. Pass the size where it is
    known: `torch.nonzero_static(mask, size=n)`, `F.one_hot(x, num_classes=n)`, `repeat_interleave(...,
    output_size=n)`.

    ## When not to
    Ignore the finding where few elements are selected and the work that follows is large.

    ## References
    - [pytorch/pytorch#12461](https://github.com/pytorch/pytorch/issues/12461)
    - [pytorch/pytorch#131256](https://github.com/pytorch/pytorch/issues/131256)
    - [huggingface/diffusers#13564](https://github.com/huggingface/diffusers/pull/13564)
    - [`torch.nonzero`](https://docs.pytorch.org/docs/stable/generated/torch.nonzero.html): "causes
      host-device synchronization"
    """

    code = "DL204"
    name = "dynamic-shape-operator"
    enabled = True
    cause = Cause.DYNAMIC_SHAPE
    help_text = "keep the shape (`torch.where`, `masked_fill`, a masked sum), or give the size if it is known"
    examples = (
        Example(
            bad="""
                import torch
                from torch import nn

                class MaskedLoss(nn.Module):
                    def __init__(self):
                        super().__init__()
                        self.head = nn.Linear(32, 1)

                    def forward(self, x):
                        score = self.head(x).squeeze(-1)
                        return score[score > 0].sum()  # error: [DL204]
            """,
            good="""
                import torch
                from torch import nn

                class MaskedLoss(nn.Module):
                    def __init__(self):
                        super().__init__()
                        self.head = nn.Linear(32, 1)

                    def forward(self, x):
                        score = self.head(x).squeeze(-1)
                        return torch.where(score > 0, score, 0.0).sum()
            """,
        ),
        Example(
            bad="""
                import torch
                import torch.nn.functional as F
                from torch import nn

                class Quantizer(nn.Module):
                    def __init__(self, entries, width):
                        super().__init__()
                        self.codebook = nn.Embedding(entries, width)

                    def forward(self, x):
                        codes = torch.cdist(x, self.codebook.weight).argmin(dim=-1)
                        chosen = F.one_hot(codes)  # error: [DL204]
                        return chosen.float() @ self.codebook.weight
            """,
            good="""
                import torch
                import torch.nn.functional as F
                from torch import nn

                class Quantizer(nn.Module):
                    def __init__(self, entries, width):
                        super().__init__()
                        self.codebook = nn.Embedding(entries, width)

                    def forward(self, x):
                        codes = torch.cdist(x, self.codebook.weight).argmin(dim=-1)
                        chosen = F.one_hot(codes, num_classes=self.codebook.num_embeddings)
                        return chosen.float() @ self.codebook.weight
            """,
        ),
        Example(
            bad="""
                import torch
                from torch import nn

                class DropLowScores(nn.Module):
                    def __init__(self, width):
                        super().__init__()
                        self.gate = nn.Linear(width, 1)

                    def forward(self, x):
                        score = self.gate(x).squeeze(-1)
                        rows = torch.nonzero(score < 0)  # error: [DL204]
                        return x.index_fill(0, rows.flatten(), 0.0)
            """,
            good="""
                import torch
                from torch import nn

                class DropLowScores(nn.Module):
                    def __init__(self, width):
                        super().__init__()
                        self.gate = nn.Linear(width, 1)

                    def forward(self, x):
                        score = self.gate(x)
                        return x.masked_fill(score < 0, 0.0)
            """,
        ),
    )

    def doing(self, event: Synchronization, operand: Operand) -> str:  # noqa: ARG002
        return f"the output size of {operator(event.operator)}"
