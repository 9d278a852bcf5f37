"""DL305: the host reads an asynchronous copy before it has arrived."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Draft, Note, Severity, Transfer
from devlint.rules.base import Example, Rule
from devlint.rules.transfer import is_download
from devlint.rules.wording import named


class AsyncDownloadReadEarly(Rule[Transfer]):
    """
    ## What it does
    Reports a copy to the host with `non_blocking=True` whose result the host reads without a
    synchronization in between.

    ## Why it matters
    The copy is only queued, so the host reads whatever the memory held before. Nothing raises, and the
    values are right if the copy happens to be fast enough. Lightning and SGLang shipped such reads
    (Lightning-AI/pytorch-lightning#11288, sgl-project/sglang#16493), and torchmetrics added
    `non_blocking=True` and had to revert it (Lightning-AI/torchmetrics#3284).

    ## Use instead
    Remove `non_blocking`, or synchronize before the read: record an event after the copy and wait for it.

    ## When not to
    Ignore the finding where code that devlint cannot see synchronizes between the copy and the read.

    ## References
    - [`Tensor.to` and non_blocking](https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html)
    - [Lightning-AI/pytorch-lightning#11288](https://github.com/Lightning-AI/pytorch-lightning/pull/11288)
    - [sgl-project/sglang#16493](https://github.com/sgl-project/sglang/pull/16493)
    - [Lightning-AI/torchmetrics#3284](https://github.com/Lightning-AI/torchmetrics/pull/3284)
    """

    code = "DL305"
    name = "async-download-read-early"
    severity = Severity.ERROR
    enabled = True
    event = Transfer
    examples = (
        Example(
            bad="""
                import torch

                def largest(scores: torch.Tensor) -> int:
                    best = scores.cuda().argmax()
                    host = best.to("cpu", non_blocking=True)  # error: [DL305]
                    return int(host)
            """,
            good="""
                import torch

                def largest(scores: torch.Tensor) -> int:
                    best = scores.cuda().argmax()
                    host = best.to("cpu")
                    return int(host)
            """,
        ),
        Example(
            bad="""
                import torch

                device = torch.device("cuda")
                x = torch.randn(1024, device=device)
                y = (x * 2).to("cpu", non_blocking=True)  # error: [DL305]
                print(y.numpy().mean())
            """,
            good="""
                import torch

                device = torch.device("cuda")
                x = torch.randn(1024, device=device)
                y = (x * 2).to("cpu", non_blocking=True)
                torch.cuda.synchronize()
                print(y.numpy().mean())
            """,
        ),
    )

    def check(self, event: Transfer) -> Iterable[Draft]:
        """A download that is read without a synchronization in between."""
        if event.used_before_wait is None or not event.non_blocking or not is_download(event):
            return
        what = f"copy of {named(event.operand)}" if event.operand.path else "copy"
        yield Draft(
            code=self.code,
            message=f"the asynchronous {what} from {event.source} is read before it is complete",
            site=event.site,
            notes=(Note(event.used_before_wait, "it is read here, without waiting for the copy"),),
            help="remove `non_blocking=True`, or synchronize before the read",
            cause=event.site,
        )
