"""DL110: an argument that must be on the host is on a device."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import (
    Concrete,
    Confidence,
    Draft,
    HotPath,
    Kind,
    Operand,
    Operation,
    Severity,
    Symbol,
    may_be_accelerator,
)
from devlint.operators import find
from devlint.rules import wording
from devlint.rules.base import Example, Rule
from devlint.rules.mismatch import argument
from devlint.rules.operand_text import copy_to_host


class HostArgument(Rule[Operation]):
    """
    ## What it does
    Reports a device tensor where torch requires a host tensor: the lengths of `pack_padded_sequence`, the
    indices of `tensor_split`, a tensor to be pinned.

    ## Why it matters
    The call raises `'lengths' argument should be a 1D CPU int64 tensor, but got 1D cuda:0 Long tensor`.
    The host needs such values at once, and torch does not copy them implicitly. Moving a whole batch to
    the device moves them along.

    ## Use instead
    Leave the lengths on the host when the batch is moved, or copy them back with `.cpu()`, which makes
    the host wait.

    ## When not to
    The finding is only `possible`:

    - for a parameter whose device is unknown, unless `forward` gets it in one batch with the tensors that
      it processes
    - for pinning a tensor on a device that may be the CPU, such as `self.device`

    ## References
    - [UKPLab/sentence-transformers#1420](https://github.com/UKPLab/sentence-transformers/pull/1420)
    - [facebookresearch/fairseq#3557](https://github.com/facebookresearch/fairseq/pull/3557)
    - torch/nn/utils/rnn.py and aten/src/ATen/native/PackedSequence.cpp
    """

    code = "DL110"
    name = "host-argument"
    severity = Severity.ERROR
    enabled = True
    event = Operation
    examples = (
        Example(
            bad="""
                import torch
                from torch.nn.utils.rnn import pack_padded_sequence

                batch = torch.rand(3, 5, 8).cuda()
                lengths = torch.tensor([5, 3, 2]).cuda()
                packed = pack_padded_sequence(batch, lengths, batch_first=True)  # error: [DL110]
            """,
            good="""
                import torch
                from torch.nn.utils.rnn import pack_padded_sequence

                batch = torch.rand(3, 5, 8).cuda()
                lengths = torch.tensor([5, 3, 2])
                packed = pack_padded_sequence(batch, lengths, batch_first=True)
            """,
            fixed="""
                import torch
                from torch.nn.utils.rnn import pack_padded_sequence

                batch = torch.rand(3, 5, 8).cuda()
                lengths = torch.tensor([5, 3, 2]).cuda()
                packed = pack_padded_sequence(batch, lengths.cpu(), batch_first=True)
            """,
        ),
        Example(
            bad="""
                import torch

                x = torch.zeros(12, 4, device="cuda")
                borders = torch.tensor([3, 7], device="cuda")
                parts = torch.tensor_split(x, borders)  # error: [DL110]
            """,
            good="""
                import torch

                x = torch.zeros(12, 4, device="cuda")
                borders = torch.tensor([3, 7])
                parts = torch.tensor_split(x, borders)
            """,
        ),
    )

    def check(self, event: Operation) -> Iterable[Draft]:
        """One draft for each argument that is on a device and must be on the host."""
        on_device = [
            operand
            for operand in event.operands
            if operand.kind is Kind.TENSOR and may_be_accelerator(operand.device)
        ]
        operator = find(event.operator) if on_device else None
        for operand in on_device if operator is not None else ():
            assert operator is not None
            declared = argument(operator, operand)
            if declared is not None and declared.host:
                yield self._draft(event, operand, declared.name)

    def _draft(self, event: Operation, operand: Operand, parameter: str) -> Draft:
        return Draft(
            code=self.code,
            message=(
                f"{wording.is_on(operand)}, but `{parameter}` of {wording.operation(event)} must be on cpu"
            ),
            site=event.site,
            notes=(*wording.labels((operand,)), *wording.history(operand)),
            help=f"copy it to the host: `{operand.path}.cpu()`",
            fix=copy_to_host(operand),
            cause=event.site,
            confidence=None if _is_off_host(event, operand) else Confidence.POSSIBLE,
        )


def _is_off_host(event: Operation, operand: Operand) -> bool:
    """Whether the program itself shows that it is on a device; the device of an argument is not enough.

    For pinning, a device that may be the host counts as the host.
    """
    if event.operator == "torch.Tensor.pin_memory" and not isinstance(operand.device, Concrete):
        return False
    return operand.is_off_host or _came_with_the_rest(event, operand)


def _came_with_the_rest(event: Operation, operand: Operand) -> bool:
    """Whether a module's forward got it in one argument with the tensors that it processes.

    `batch["lengths"]` is where `batch["tokens"]` is, unless the program copies it back.
    """
    if event.hot is not HotPath.FORWARD or not isinstance(operand.device, Symbol):
        return False
    return any(other is not operand and other.device == operand.device for other in event.operands)
