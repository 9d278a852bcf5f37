"""DL207: the host walks over a device tensor element by element."""

from __future__ import annotations

from devlint.model import Cause, Confidence, Operand, Synchronization, is_of_tensor
from devlint.rules.base import Example
from devlint.rules.paths import is_on_hot_path
from devlint.rules.wait import WaitRule
from devlint.rules.wording import named


class ElementByElement(WaitRule):
    """
    ## What it does
    Reports loops and comprehensions that read the elements of a device tensor one at a time:
    `[v.item() for v in x]`, `for i in range(n): total += float(x[i])`.

    ## Why it matters
    Each element is a copy and a synchronization of its own, which costs the same for one number as for
    thousands. The rule also applies outside of hot paths, because the loop repeats the read, but then
    only if the tensor is known to be on a device. TRL replaced reads of each row by one copy
    (huggingface/trl#5218), and Megatron-LM replaced `length[b].item()` of each row by a comparison on the
    device (NVIDIA/Megatron-LM@821d3c1d5).

    ## Use instead
    Copy once: `x.tolist()`. Or compute for all elements at once, on the device.

    ## When not to
    Ignore the finding where the tensor always has very few elements and the code runs once.

    ## References
    - [huggingface/trl#5218](https://github.com/huggingface/trl/pull/5218)
    - [huggingface/diffusers#13461](https://github.com/huggingface/diffusers/pull/13461)
    - [NVIDIA/Megatron-LM@821d3c1d5](https://github.com/NVIDIA/Megatron-LM/commit/821d3c1d5)
    """

    code = "DL207"
    name = "element-by-element"
    enabled = True
    cause = Cause.ELEMENTWISE
    help_text = (
        "copy once and walk over the copy (`.tolist()`), or do it for all elements at once on the device"
    )
    examples = (
        Example(
            bad="""
                import torch

                def lengths(tokens: torch.Tensor) -> list[int]:
                    counts = (tokens.cuda() != 0).sum(dim=1)
                    return [count.item() for count in counts]  # error: [DL207]
            """,
            good="""
                import torch

                def lengths(tokens: torch.Tensor) -> list[int]:
                    counts = (tokens.cuda() != 0).sum(dim=1)
                    return counts.tolist()
            """,
        ),
        Example(
            bad="""
                import torch

                def padding_mask(batch, width):
                    device = torch.device("cuda")
                    length = torch.randint(1, width, (batch,), device=device)
                    mask = torch.ones(batch, width, device=device)
                    for row in range(batch):
                        mask[row, : length[row].item()] = 0  # error: [DL207]
                    return mask
            """,
            good="""
                import torch

                def padding_mask(batch, width):
                    device = torch.device("cuda")
                    length = torch.randint(1, width, (batch,), device=device)
                    position = torch.arange(width, device=device)
                    return (position[None] >= length[:, None]).float()
            """,
        ),
    )

    def matters(self, event: Synchronization, operand: Operand) -> bool:  # noqa: ARG002
        """Always, because the loop over the elements repeats the read."""
        return True

    def confidence(self, event: Synchronization, operand: Operand) -> Confidence | None:
        """At most possible for a tensor that a plain function gets, outside of hot paths."""
        return Confidence.POSSIBLE if is_of_tensor(operand.device) and not is_on_hot_path(event) else None

    def doing(self, event: Synchronization, operand: Operand) -> str:  # noqa: ARG002
        return f"reading elements of {named(operand)}"
