"""DL102: a tensor made without `device=` meets one that is elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from devlint.model import (
    Action,
    Applicability,
    Concrete,
    Confidence,
    Draft,
    EditRequest,
    FixRequest,
    Kind,
    Note,
    Operand,
    Operation,
    OriginStep,
    Severity,
    is_host,
)
from devlint.operators import MAKERS, ArgumentKind, find
from devlint.rules import wording
from devlint.rules.base import GOOD, Example, Rule
from devlint.rules.mismatch import mismatch
from devlint.rules.operand_text import is_place


class FactoryWithoutDevice(Rule[Operation]):
    """
    ## What it does
    Reports a factory call without `device=`, such as `torch.zeros(n)`, if an operation then uses its
    result together with a tensor on another device. The finding is reported at the factory call, because
    that is the line to change.

    ## Why it matters
    Without `device=` the tensor is created on the default device, the CPU. The program works until the
    other operand is on an accelerator, and then raises `Expected all tensors to be on the same device`.
    Of 127 device bugs and hidden copies that were fixed or reported in public, 25 are of this kind, more
    than of any other, in 20 projects, among them torchmetrics, PyTorch Geometric, kornia, captum and
    PyTorch itself.

    ## Use instead
    Pass the device of the other operand.

    - For `zeros`, `ones`, `full`, `arange`, `empty`, `linspace`, `eye` and `tensor` the values stay the
      same, so the fix is safe.
    - `rand`, `randn`, `randint` and `randperm` draw other numbers on another device, so the fix is
      unsafe.
    - The fix is also unsafe if it writes `device="cuda"` and only some paths use CUDA.

    ## When not to
    Ignore the finding where the tensor is meant for the host.

    Not reported:

    - a tensor that is moved before it is used
    - a 0-dim tensor in an elementwise operation
    - a tensor that only `copy_` or a slice assignment reads
    - code in a function to which all callers in the file pass host tensors
    - code that runs only while a module is constructed
    - code in a data set, a collate function or a feature extractor
    - code in a branch for traced or exported graphs

    The finding is only `possible` if the other operand is a parameter of a plain function, which may be
    on the host as well, and another function calls the factory, or the operand is a part of the
    parameter, or nothing shows that it is a tensor.

    ## References
    - [pytorch/pytorch#73980](https://github.com/pytorch/pytorch/pull/73980): `torch.arange` in `LKJCholesky`
    - [Lightning-AI/torchmetrics#606](https://github.com/Lightning-AI/torchmetrics/pull/606)
    - [allenai/allennlp#5315](https://github.com/allenai/allennlp/pull/5315): the default mask of a CRF
    - [astral-sh/ruff#12349](https://github.com/astral-sh/ruff/issues/12349): asks for "initialize directly on
      device"
    """

    code = "DL102"
    name = "factory-without-device"
    severity = Severity.ERROR
    enabled = True
    event = Operation
    yields_to = ("DL103",)
    examples = (
        Example(
            bad="""
                import torch
                from torch import nn

                class Causal(nn.Module):
                    def forward(self, scores):
                        length = scores.shape[-1]
                        future = torch.ones(length, length, dtype=torch.bool).triu(1)  # error: [DL102]
                        return scores.masked_fill(future, float("-inf"))
            """,
            good="""
                import torch
                from torch import nn

                class Causal(nn.Module):
                    def forward(self, scores):
                        length = scores.shape[-1]
                        future = torch.ones(length, length, dtype=torch.bool, device=scores.device).triu(1)
                        return scores.masked_fill(future, float("-inf"))
            """,
            fixed=GOOD,
        ),
        Example(
            bad="""
                import torch
                from torch import nn

                class PositionalEmbedding(nn.Module):
                    def __init__(self, length, width):
                        super().__init__()
                        self.table = nn.Embedding(length, width)

                    def forward(self, tokens):
                        positions = torch.arange(tokens.size(1))  # error: [DL102]
                        return self.table(tokens) + self.table(positions)
            """,
            good="""
                import torch
                from torch import nn

                class PositionalEmbedding(nn.Module):
                    def __init__(self, length, width):
                        super().__init__()
                        self.table = nn.Embedding(length, width)

                    def forward(self, tokens):
                        positions = torch.arange(tokens.size(1), device=tokens.device)
                        return self.table(tokens) + self.table(positions)
            """,
        ),
        Example(
            bad="""
                import torch

                x = torch.rand(3, 3).to("cuda")
                y = torch.rand(3, 3)  # error: [DL102]
                print((x + y).shape)
            """,
            good="""
                import torch

                device = torch.device("cpu")
                x = torch.rand(3, 3, device=device)
                y = torch.rand(3, 3, device=device)
                print((x + y).shape)
            """,
            fixed="""
                import torch

                x = torch.rand(3, 3).to("cuda")
                y = torch.rand(3, 3, device="cuda")
                print((x + y).shape)
            """,
            unsafe=True,
        ),
        Example(
            bad="""
                import torch

                def mask_future(scores: torch.Tensor) -> torch.Tensor:
                    length = scores.shape[-1]
                    future = torch.ones(length, length, dtype=torch.bool).triu(1)  # error: [DL102]
                    return scores.masked_fill(future, float("-inf"))
            """,
            good="""
                import torch

                def mask_future(scores: torch.Tensor) -> torch.Tensor:
                    length = scores.shape[-1]
                    future = torch.ones(length, length, dtype=torch.bool, device=scores.device).triu(1)
                    return scores.masked_fill(future, float("-inf"))
            """,
            fixed=GOOD,
            confidence=Confidence.LIKELY,
        ),
    )

    def check(self, event: Operation) -> Iterable[Draft]:
        """One draft for each operand that a factory created on the host and that is used with another
        device."""
        found = mismatch(event)
        for operand in found.operands if found is not None else ():
            step = operand.origin.made()
            if step is not None and _was_left(operand, step):
                assert found is not None
                draft = self._draft(event, operand, step, found.against(operand))
                yield replace(draft, confidence=found.confidence_in(operand))

    def _draft(self, event: Operation, operand: Operand, step: OriginStep, other: Operand) -> Draft:
        return Draft(
            code=self.code,
            message=f"{_created(operand, step)}, but {wording.is_on(other)}{wording.during(event)}",
            site=step.site,
            notes=(
                Note(event.site, f"{wording.named(operand)} is used with {wording.named(other)} here"),
                *wording.history(other),
            ),
            help=f"pass `device={other.anchor or '…'}` to {wording.code(step.operator)}",
            fix=_fix(event, step, other),
            cause=event.site,
        )


def _created(operand: Operand, step: OriginStep) -> str:
    """`y` is created on cpu by `torch.rand`; without a name for the operand, only the factory is named."""
    if operand.origin.is_derived:
        created = f"what {wording.code(step.operator)} creates on {step.device}"
        return f"{wording.named(operand)} is computed from {created}"
    if is_place(operand.path):
        return f"{wording.code(operand.path)} is created on {step.device} by {wording.code(step.operator)}"
    return f"{wording.code(step.operator)} defaults to {step.device}"


def _was_left(operand: Operand, step: OriginStep) -> bool:
    """Whether the operand is a plain tensor, still where an operator without `device=` created it.

    Not the weight of a layer, because the layer's class, which creates it, is not an operator.
    """
    if operand.kind is not Kind.TENSOR or operand.attribute or operand.from_other_activation:
        return False
    if find(step.operator) is None:
        return False
    return step.implicit and is_host(operand.device) and step.device == operand.device


def _is_written_out(other: Operand) -> bool:
    """Whether a fix would name an accelerator, which every call of the factory would then need."""
    asked_of_tensor = other.anchor.endswith(".device") and other.anchor != "self.device"
    return isinstance(other.device, Concrete) and not asked_of_tensor


def _fix(event: Operation, step: OriginStep, other: Operand) -> FixRequest | None:
    """`device=` for a factory that takes one; None if another argument requires the host."""
    factory = find(step.operator)
    if not other.anchor or step.tied or factory is None or factory.rule not in MAKERS:
        return None
    if not any(argument.kind is ArgumentKind.DEVICE for argument in factory.arguments):
        return None
    return FixRequest(
        message=f"Create it on the device of `{other.path}`",
        applicability=Applicability.UNSAFE
        if factory.random or (event.conditional and _is_written_out(other))
        else Applicability.SAFE,
        edits=(EditRequest(step.site, Action.APPEND_ARGUMENT, f"device={other.anchor}"),),
        scope=event.site,
    )
