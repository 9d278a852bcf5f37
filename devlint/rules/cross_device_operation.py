"""DL101: operands of one operation on different devices."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Draft, Operation, Severity
from devlint.rules import wording
from devlint.rules.base import Example, Rule
from devlint.rules.mismatch import Demand, Mismatch, mismatch


class CrossDeviceOperation(Rule[Operation]):
    """
    ## What it does
    Reports an operation whose tensor operands are on different devices, if torch does not allow that for
    the operation. The device rules of operators come from torch's `native_functions.yaml`.

    ## Why it matters
    The operation raises `Expected all tensors to be on the same device, but found at least two devices,
    cuda:0 and cpu!`. On a machine without an accelerator both operands are on the CPU, so tests pass
    there, and the program fails on a GPU. Of 127 device bugs and hidden copies that were fixed or
    reported in public, 10 are an operand that nobody moved, for example in diffusers, nerfstudio,
    SpeechBrain and PyTorch Geometric.

    ## Use instead
    Move one of the operands to the device of the other, once, as early as possible.

    ## When not to
    Ignore the finding where callers of a function must put all arguments on one device; fix the caller
    instead.

    Not reported:

    - a 0-dim host tensor beside a device tensor in an elementwise operation, which torch allows
    - `copy_` and assignments to slices, which copy across devices by design

    ## References
    - [huggingface/diffusers#12309](https://github.com/huggingface/diffusers/pull/12309): moved to
      `self.device` although the method was given `device`
    - [nerfstudio-project/nerfstudio#506](https://github.com/nerfstudio-project/nerfstudio/pull/506): an image
      of the batch compared with what a GPU rendered
    - [pytorch/pytorch#168010](https://github.com/pytorch/pytorch/issues/168010): users ask which operand it
      was
    """

    code = "DL101"
    name = "cross-device-operation"
    severity = Severity.ERROR
    enabled = True
    event = Operation
    yields_to = ("DL102", "DL103")
    decides = False
    examples = (
        Example(
            bad="""
                import torch

                x = torch.randn(4, 3, device="cuda:0")
                y = torch.randn(4, 3, device="cuda:1")
                z = x + y  # error: [DL101]
            """,
            good="""
                import torch

                x = torch.randn(4, 3, device="cuda:0")
                y = torch.randn(4, 3, device="cuda:1")
                z = x + y.to(x.device)
            """,
        ),
        Example(
            bad="""
                import torch

                def nearest(queries: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
                    queries = queries.to("cuda")
                    keys = memory.detach().to("cpu")
                    return torch.cdist(queries, keys).argmin(dim=1)  # error: [DL101]
            """,
            good="""
                import torch

                def nearest(queries: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
                    queries = queries.to("cuda")
                    keys = memory.detach().to("cuda")
                    return torch.cdist(queries, keys).argmin(dim=1)
            """,
        ),
        Example(
            bad="""
                import torch

                def blend(frames: torch.Tensor, device: torch.device) -> torch.Tensor:
                    weights = torch.linspace(0, 1, frames.shape[0], device="cpu")
                    frames = frames.to(device)
                    return weights @ frames.flatten(1)  # error: [DL101]
            """,
            good="""
                import torch

                def blend(frames: torch.Tensor, device: torch.device) -> torch.Tensor:
                    weights = torch.linspace(0, 1, frames.shape[0], device=device)
                    frames = frames.to(device)
                    return weights @ frames.flatten(1)
            """,
        ),
    )

    def check(self, event: Operation) -> Iterable[Draft]:
        """One draft for an operation whose operands are on different devices."""
        found = mismatch(event)
        if found is None or found.demand is not Demand.OPERANDS:
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
    stray = found.stray()
    other = found.against(stray)
    if other.anchor:
        return f"move {wording.named(stray)}: `.to({other.anchor})`"
    return f"move {wording.named(stray)} to the device of {wording.named(other)}"
