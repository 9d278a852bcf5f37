"""DL106: a module is called with an input on another device."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Draft, Kind, Operand, Operation, Severity, SiteId, is_host
from devlint.rules import wording
from devlint.rules.base import Example, Rule
from devlint.rules.mismatch import Demand, Mismatch, mismatch


class ModuleAndInput(Rule[Operation]):
    """
    ## What it does
    Reports a call of an `nn.Module` whose parameters are on one device and whose input is on another.

    ## Why it matters
    The first layer raises `Expected all tensors to be on the same device, but got mat1 is on cpu,
    different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_addmm)`, or
    `Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be the same`. Both
    messages use names from inside torch, not the names of the program.

    ## Use instead
    Move each batch to the device of the module's parameters.

    ## When not to
    Ignore the finding where a module moves its inputs itself.

    Not reported:

    - an input behind the first, unless it is known to have dimensions: a module may take an input such as
      lengths on the host
    - a module that is built from tensors, or that moves its parameters in `forward`

    ## References
    - [speechbrain@01a1750](https://github.com/speechbrain/speechbrain/commit/01a175032): a segment of a
      waveform
    - [pyg-team/pytorch_geometric#5207](https://github.com/pyg-team/pytorch_geometric/pull/5207)
    - [Lightning-AI/torchmetrics#2234](https://github.com/Lightning-AI/torchmetrics/pull/2234): a network that
      is built and never moved
    """

    code = "DL106"
    name = "module-and-input"
    severity = Severity.ERROR
    enabled = True
    event = Operation
    yields_to = ("DL102", "DL103", "DL104")
    decides = False
    examples = (
        Example(
            bad="""
                import torch
                from torch import nn

                device = torch.device("cuda:0")
                network = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 2)).to(device)
                images = torch.rand(4, 8, device=device)
                batch = torch.cat([images, images]).cpu()
                logits = network(batch)  # error: [DL106]
            """,
            good="""
                import torch
                from torch import nn

                device = torch.device("cuda:0")
                network = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 2)).to(device)
                images = torch.rand(4, 8, device=device)
                batch = torch.cat([images, images]).to(device)
                logits = network(batch)
            """,
        ),
        Example(
            bad="""
                import torch
                from torch import nn

                def perceptual_loss(images: torch.Tensor) -> torch.Tensor:
                    encoder = nn.Conv2d(3, 64, 3)
                    images = images.cuda()
                    return encoder(images).square().mean()  # error: [DL106]
            """,
            good="""
                import torch
                from torch import nn

                def perceptual_loss(images: torch.Tensor) -> torch.Tensor:
                    encoder = nn.Conv2d(3, 64, 3).cuda()
                    images = images.cuda()
                    return encoder(images).square().mean()
            """,
        ),
    )

    def check(self, event: Operation) -> Iterable[Draft]:
        """One draft for a call with an input on another device."""
        found = mismatch(event)
        if found is None or found.demand is not Demand.MODULE:
            return
        module = found.operands[0]
        yield Draft(
            code=self.code,
            message=wording.clash(event, (*found.operands[1:], module)),
            site=event.site,
            notes=(*wording.labels(found.operands), *wording.histories(found.operands)),
            help=_help_text(found),
            cause=_cause(event, module),
            confidence=found.confidence,
        )


def _cause(event: Operation, module: Operand) -> SiteId:
    """Where the module was created, if it was never moved from the host; else the call."""
    made = module.origin.made()
    return made.site if made is not None and is_host(module.device) else event.site


def _help_text(found: Mismatch) -> str:
    stray = found.stray()
    module = found.operands[0]
    if stray.kind is Kind.MODULE:
        other = found.against(stray)
        return f"move the module: `{module.path}.to({other.anchor or other.path + '.device'})`"
    if module.anchor:
        return f"move the input: `.to({module.anchor})`"
    return f"move {wording.named(stray)} to the device of {wording.named(module)}"
