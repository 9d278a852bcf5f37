"""DL303: values go from a device to the host and back."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import (
    Draft,
    Note,
    Origin,
    OriginStep,
    Severity,
    Step,
    Transfer,
    is_host,
    may_be_accelerator,
)
from devlint.rules.base import Example, Rule
from devlint.rules.transfer import is_upload
from devlint.rules.wording import named


class RoundTrip(Rule[Transfer]):
    """
    ## What it does
    Reports a tensor that is copied from a device to the host, processed there, and copied to a device
    again.

    ## Why it matters
    The host waits for both copies, and the device is idle in between. Diffusers computed rotary
    embeddings through `.cpu().numpy()` and back (huggingface/diffusers#9307), and a reinforcement
    learning project its eigenvalues (ikostrikov/pytorch-a2c-ppo-acktr-gail@57fdba317).

    ## Use instead
    Do the work on the device: torch has an equivalent of most NumPy functions.

    ## When not to
    Ignore the finding where the function exists on the host only, where the host is so much faster that
    it pays for both copies, or where the copy frees memory of the device, as in offloading.

    ## References
    - [huggingface/diffusers#9307](https://github.com/huggingface/diffusers/pull/9307) -
      [ikostrikov/pytorch-a2c-ppo-acktr-gail@57fdba317](https://github.com/ikostrikov/pytorch-a2c-ppo-acktr-gail/commit/57fdba317)
    """

    code = "DL303"
    name = "round-trip"
    severity = Severity.WARNING
    enabled = True
    event = Transfer
    examples = (
        Example(
            bad="""
                import torch

                def whiten(samples: torch.Tensor) -> torch.Tensor:
                    x = samples.cuda()
                    covariance = torch.cov(x.T)
                    values, vectors = torch.linalg.eigh(covariance.cpu())
                    return x @ vectors.cuda()  # error: [DL303]
            """,
            good="""
                import torch

                def whiten(samples: torch.Tensor) -> torch.Tensor:
                    x = samples.cuda()
                    covariance = torch.cov(x.T)
                    values, vectors = torch.linalg.eigh(covariance)
                    return x @ vectors
            """,
        ),
        Example(
            bad="""
                import torch

                device = torch.device("cuda")

                def ranked(boxes: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
                    boxes, scores = boxes.to(device), scores.to(device)
                    order = scores.cpu().argsort(descending=True)
                    return boxes[order.to(device)]  # error: [DL303]
            """,
            good="""
                import torch

                device = torch.device("cuda")

                def ranked(boxes: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
                    boxes, scores = boxes.to(device), scores.to(device)
                    return boxes[scores.argsort(descending=True)]
            """,
        ),
    )

    def check(self, event: Transfer) -> Iterable[Draft]:
        """An upload of values that were downloaded before."""
        if not is_upload(event):
            return
        down = _downloaded(event.operand.origin)
        if down is None:
            return
        yield Draft(
            code=self.code,
            message=f"{named(event.operand)} was copied to the host and is copied back to {event.target}",
            site=event.site,
            notes=(Note(down.site, "it was copied to the host here"),),
            help="do the work in between on the device, and remove both copies",
            cause=down.site,
        )


def _downloaded(origin: Origin) -> OriginStep | None:
    """The step that copied the values to the host, if they came from a device."""
    on_device = False
    down = None
    for place, step in enumerate(origin.steps):
        # A run records where a value of unknown history was first seen.
        if step.step in (Step.DERIVED, Step.ATTRIBUTE) and place:
            continue
        came_from_device, on_device = on_device, may_be_accelerator(step.device)
        moved_down = step.step is Step.MOVED and is_host(step.device) and came_from_device
        down = step if moved_down else None
    return down
