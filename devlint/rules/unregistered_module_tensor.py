"""DL103: a module's tensor that is neither parameter nor buffer, and stays behind when the module moves."""

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
    Reports a tensor that `__init__` of an `nn.Module` keeps as a plain attribute on the CPU, where a method
    then uses it together with the module's parameters, or a forward with what it is given. The finding stands
    at the assignment. Where no such use is known, a tensor that the class keeps and uses as one is reported
    with less confidence.

    ## Why it matters
    `Module.to()`, `.cuda()` and the like move parameters and buffers, and nothing else. A plain attribute
    stays on the CPU, and the first `forward` on an accelerator raises `Expected all tensors to be on the same
    device`. Such attributes had to be registered in torchaudio, PyTorch Geometric, Pyro, BoTorch, GPyTorch
    and TorchGeo.

    ## Use instead
    Register it as a buffer. With `persistent=False` the `state_dict` stays what it was, so that checkpoints
    load as before; leave that out where the tensor should be saved. A buffer also follows `.half()` and
    `.double()`, which a plain attribute did not. The fix is safe in the sense that, on the CPU, the program
    computes what it did.

    ## When not to
    Where the tensor is for the host, or is moved by hand at each use (`self.mask.to(x.device)`), which is not
    reported: it is slow, but it works.

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
        """One draft for each plain attribute on the host that meets another device, or stays behind."""
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
                f"{wording.code(name)} is neither parameter nor buffer, so `.to()` of "
                f"{wording.code(event.module)} leaves it {where}"
            ),
            site=event.site,
            help=_way_out(event.attribute),
            cause=event.site,
        )

    def _draft(self, event: Operation, operand: Operand, other: Operand) -> Draft:
        kept = _kept(operand)
        name = f"self.{operand.attribute}"
        return Draft(
            code=self.code,
            message=(
                f"`{name}` is neither parameter nor buffer, so `.to()` leaves it on cpu; it meets "
                f"{wording.whereabouts((other,))} in {wording.operation(event)}"
            ),
            site=kept.site if kept is not None else event.site,
            notes=(
                Note(event.site, f"`{name}` meets {wording.named(other)} here"),
                *wording.history(other),
            ),
            help=_way_out(operand.attribute),
            fix=_fix(operand, kept),
            cause=event.site,
        )


def _way_out(attribute: str) -> str:
    return f'register it, so that `.to()` moves it: `self.register_buffer("{attribute}", …)`'


def _kept(operand: Operand) -> OriginStep | None:
    """Where the attribute was set, or else where its tensor was made."""
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
