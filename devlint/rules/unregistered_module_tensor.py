"""DL103: a module's tensor that is neither parameter nor buffer, so that moving the module does not move
it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from devlint.model import (
    Action,
    Applicability,
    Draft,
    EditRequest,
    FixRequest,
    Note,
    Operand,
    Operation,
    OriginStep,
    Registration,
    RegistrationKind,
    Severity,
    Step,
    is_host,
)
from devlint.rules import wording
from devlint.rules.base import Example, Rule
from devlint.rules.mismatch import mismatch


class UnregisteredModuleTensor(Rule[Operation | Registration]):
    """
    ## What it does
    Reports a tensor that `__init__` of an `nn.Module` stores as a plain attribute on the CPU, if a method
    uses it together with the module's parameters, or `forward` with its input. The finding is reported at
    the assignment. If no such use is known, the finding has a lower confidence.

    ## Why it matters
    `Module.to()` and `.cuda()` move parameters and buffers only. A plain attribute stays on the CPU, and
    the first `forward` on an accelerator raises `Expected all tensors to be on the same device`.
    torchaudio, PyTorch Geometric, Pyro, BoTorch, GPyTorch and TorchGeo had to register such attributes.

    ## Use instead
    Register the tensor as a buffer. With `persistent=False` the `state_dict` does not change, and
    checkpoints load as before; omit it if the tensor should be saved. A buffer also follows `.half()` and
    `.double()`, which a plain attribute does not. The fix is safe: on the CPU, the program computes the
    same values.

    ## When not to
    Ignore the finding where the tensor is meant for the host. A tensor that is moved at each use
    (`self.mask.to(x.device)`) is not reported: it is slow, but it works.

    ## References
    - [pytorch/audio#457](https://github.com/pytorch/audio/pull/457)
    - [pyg-team/pytorch_geometric#7484](https://github.com/pyg-team/pytorch_geometric/pull/7484)
    - [torchgeo/torchgeo#3232](https://github.com/torchgeo/torchgeo/pull/3232)
    - [`Module.register_buffer`](https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html)
    """

    code = "DL103"
    name = "unregistered-module-tensor"
    severity = Severity.ERROR
    enabled = True
    event = Operation
    also = (Registration,)
    about = frozenset({RegistrationKind.PLAIN_TENSOR})
    examples = (
        Example(
            bad="""
                import torch
                from torch import nn

                class Attention(nn.Module):
                    def __init__(self, width, size):
                        super().__init__()
                        self.out = nn.Linear(width, width)
                        self.mask = torch.ones(size, size).triu(1).bool()  # error: [DL103]

                    def forward(self, x):
                        return self.out(x).masked_fill(self.mask, -1e9)
            """,
            good="""
                import torch
                from torch import nn

                class Attention(nn.Module):
                    def __init__(self, width, size):
                        super().__init__()
                        self.out = nn.Linear(width, width)
                        self.register_buffer("mask", torch.ones(size, size).triu(1).bool())

                    def forward(self, x):
                        return self.out(x).masked_fill(self.mask, -1e9)
            """,
            fixed="""
                import torch
                from torch import nn

                class Attention(nn.Module):
                    def __init__(self, width, size):
                        super().__init__()
                        self.out = nn.Linear(width, width)
                        self.register_buffer("mask", torch.ones(size, size).triu(1).bool(), persistent=False)

                    def forward(self, x):
                        return self.out(x).masked_fill(self.mask, -1e9)
            """,
        ),
        Example(
            bad="""
                import torch
                from torch import nn

                class Permute(nn.Module):
                    def __init__(self, channels):
                        super().__init__()
                        self.order = torch.randperm(channels)  # error: [DL103]

                    def forward(self, x):
                        return x.index_select(1, self.order)
            """,
            good="""
                import torch
                from torch import nn

                class Permute(nn.Module):
                    def __init__(self, channels):
                        super().__init__()
                        self.register_buffer("order", torch.randperm(channels))

                    def forward(self, x):
                        return x.index_select(1, self.order)
            """,
        ),
    )

    def check(self, event: Operation | Registration) -> Iterable[Draft]:
        """One draft for each plain attribute that is used with another device, or that moving the module
        leaves."""
        if isinstance(event, Registration):
            yield self._left_behind(event)
            return
        found = mismatch(event)
        if found is None:
            return
        for operand in found.operands:
            if operand.attribute and is_host(operand.device):
                draft = self._draft(event, operand, found.against(operand))
                yield replace(draft, confidence=found.confidence_in(operand))

    def _left_behind(self, event: Registration) -> Draft:
        name = f"self.{event.attribute}"
        where = f"on {event.operand.device}" if is_host(event.operand.device) else "where it is"
        return Draft(
            code=self.code,
            message=(
                f"{wording.code(name)} is not a parameter or buffer: `.to()` of "
                f"{wording.code(event.module)} leaves it {where}"
            ),
            site=event.site,
            help=_help_text(event.attribute),
            cause=event.site,
        )

    def _draft(self, event: Operation, operand: Operand, other: Operand) -> Draft:
        kept = _kept(operand)
        name = f"self.{operand.attribute}"
        return Draft(
            code=self.code,
            message=(
                f"`{name}` is unregistered and on cpu, but {wording.is_on(other)}{wording.during(event)}"
            ),
            site=kept.site if kept is not None else event.site,
            notes=(
                Note(event.site, f"`{name}` is used with {wording.named(other)} here"),
                *wording.history(other),
            ),
            help=_help_text(operand.attribute),
            fix=_fix(operand, kept),
            cause=event.site,
        )


def _help_text(attribute: str) -> str:
    return f'register it as a buffer: `self.register_buffer("{attribute}", …)`'


def _kept(operand: Operand) -> OriginStep | None:
    """Where the attribute was set, else where its tensor was created."""
    steps = operand.origin.steps
    return next((step for step in reversed(steps) if step.step is Step.ATTRIBUTE), operand.origin.made())


def _fix(operand: Operand, kept: OriginStep | None) -> FixRequest | None:
    if kept is None or kept.value is None:
        return None
    text = f'self.register_buffer("{operand.attribute}", {{}}, persistent=False)'
    return FixRequest(
        message=f"Register `self.{operand.attribute}` as a buffer",
        applicability=Applicability.SAFE,
        edits=(EditRequest(kept.site, Action.REPLACE, text, quoted=kept.value),),
    )
