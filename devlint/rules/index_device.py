"""DL108: an index on another device than what it indexes."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Draft, Operation, Severity, is_host
from devlint.rules import wording
from devlint.rules.base import Example, Rule
from devlint.rules.mismatch import Demand, Mismatch, mismatch


class IndexDevice(Rule[Operation]):
    """
    ## What it does
    Reports `x[i]` where the index `i` is on an accelerator and `x` is on another device. Also reports
    `gather`, `index_select`, `take` and similar functions, whose index must be on the device of the other
    operands.

    ## Why it matters
    The operation raises `indices should be either on cpu or on the same device as the indexed tensor
    (cpu)`. A host index into a device tensor is legal in brackets, but not in `gather` and similar
    functions. The bug often appears when code changes from one to the other, or when a model runs on the
    CPU.

    ## Use instead
    Keep the table on the device of the indices (in a module: as a buffer), or move the index.

    ## When not to
    Not reported:

    - a 0-dim index, which is legal on any device (the host waits for it)
    - an index that is used for assignment

    ## References
    - [CompVis/latent-diffusion#282](https://github.com/CompVis/latent-diffusion/pull/282): moved after
      indexing
    - [WongKinYiu/yolov7#1311](https://github.com/WongKinYiu/yolov7/pull/1311)
    - [pytorch/captum#317](https://github.com/pytorch/captum/pull/317): `gather`
    """

    code = "DL108"
    name = "index-device"
    severity = Severity.ERROR
    enabled = True
    event = Operation
    yields_to = ("DL102", "DL103")
    examples = (
        Example(
            bad="""
                import torch

                def confident(boxes: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
                    boxes = boxes.cpu()
                    keep = scores.to("cuda") > 0.5
                    return boxes[keep]  # error: [DL108]
            """,
            good="""
                import torch

                def confident(boxes: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
                    boxes = boxes.cpu()
                    keep = scores.to("cuda") > 0.5
                    return boxes[keep.cpu()]
            """,
        ),
        Example(
            bad="""
                import torch

                def true_scores(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
                    logits = logits.cuda()
                    labels = labels.cpu()
                    return logits.gather(1, labels[:, None])  # error: [DL108]
            """,
            good="""
                import torch

                def true_scores(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
                    logits = logits.cuda()
                    labels = labels.cuda()
                    return logits.gather(1, labels[:, None])
            """,
        ),
    )

    def check(self, event: Operation) -> Iterable[Draft]:
        """One draft for an operation with an index on an illegal device."""
        found = mismatch(event)
        if found is None or found.demand is not Demand.INDEX:
            return
        yield Draft(
            code=self.code,
            message=wording.clash(event, found.operands),
            site=event.site,
            notes=(*wording.labels(found.operands), *wording.histories(found.operands)),
            help=_help_text(found),
            cause=event.site,
            confidence=found.confidence,
        )


def _help_text(found: Mismatch) -> str:
    base, *indices = found.operands
    if is_host(base.device) and indices:
        return (
            f"move {wording.named(base)} to the device of its index, or index with `{indices[0].path}.cpu()`"
        )
    stray = found.stray()
    return f"move {wording.named(stray)} to the device of {wording.named(found.against(stray))}"
