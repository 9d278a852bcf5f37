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
    Reports an operation whose tensor operands are on different devices, and where torch has no rule that
    would let them be. The operators' device rules are torch's own, from `native_functions.yaml`.

    ## Why it matters
    It raises: `Expected all tensors to be on the same device, but found at least two devices, cuda:0 and
    cpu!`. On a machine without an accelerator both devices are the CPU, so the tests pass there and the
    program fails where it is used. Of 127 device bugs and hidden copies that were repaired or reported in
    public, 10 are an operand that nobody moved; diffusers, nerfstudio, SpeechBrain and PyTorch Geometric had
    them.

    ## Use instead
    Move one of the operands to the device of the other, once, as early as it is known.

    ## When not to
    A 0-dim host tensor beside a device tensor is legal in elementwise operators, and `copy_` and assignments
    to slices copy across devices by design: neither is reported. Where a function's contract is that its
    caller puts everything on one device, the caller is the place to look at.

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
        """One draft for an operation whose operands clash."""
        found = mismatch(event)
        if found is None or found.demand is not Demand.OPERANDS:
            return
        yield Draft(
            code=self.code,
            message=(
                f"operands of {wording.operation(event)} {wording.apart(found.relation)}: "
                f"{wording.whereabouts(found.operands)}"
            ),
            site=event.site,
            notes=(*wording.labels(found.operands), *wording.histories(found.operands)),
            help=_way_out(found),
            cause=event.site,
            confidence=found.confidence,
        )


def _way_out(found: Mismatch) -> str:
    stray = found.stray()
    other = found.against(stray)
    if other.anchor:
        return f"move {wording.named(stray)} to the other's device: `.to({other.anchor})`"
    return f"move {wording.named(stray)} to the device of {wording.named(other)}"
