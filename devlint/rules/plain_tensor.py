"""DL412: a module keeps a tensor as a plain attribute."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Draft, Operand, Registration, RegistrationKind, Severity, is_host
from devlint.rules.base import Example, Rule
from devlint.rules.wording import code


class PlainTensor(Rule[Registration]):
    """
    ## What it does
    Reports tensors that the constructor of a module makes, is given, or works out of its buffers, and keeps
    as plain attributes, unless a method of the class moves them when the module is moved.

    ## Why it matters
    `.to()` and `.cuda()` move parameters and buffers, and leave plain attributes on the host. DL103 reports
    them once it can show the operation in which they meet what was moved; this rule reports them where they
    are kept. What is no buffer is missing from `.state_dict()`, too.

    ## Use instead
    `self.register_buffer("mask", mask, persistent=False)`, or with `persistent=True`, the default, where it
    belongs to the state.

    ## When not to
    Where every use moves the tensor first, or the host alone reads it.

    ## References
    - [`Module.register_buffer`](https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html)
    """

    code = "DL412"
    name = "plain-tensor"
    severity = Severity.WARNING
    enabled = False
    event = Registration
    about = frozenset({RegistrationKind.PLAIN_TENSOR})
    yields_to = ("DL103",)
    examples = (
        Example(
            bad="""
                import torch
                from torch import nn

                class Anchors(nn.Module):
                    def __init__(self, sizes):
                        super().__init__()
                        self.steps = torch.arange(8)  # error: [DL412]
                        self.scale = nn.Parameter(torch.ones(8))
            """,
            good="""
                import torch
                from torch import nn

                class Anchors(nn.Module):
                    def __init__(self, sizes):
                        super().__init__()
                        self.register_buffer("steps", torch.arange(8), persistent=False)
                        self.scale = nn.Parameter(torch.ones(8))
            """,
        ),
        Example(
            bad="""
                import torch
                from torch import nn

                class Blur(nn.Module):
                    def __init__(self, width):
                        super().__init__()
                        kernel = torch.ones(1, 1, width, width) / width**2
                        self.kernel = kernel  # error: [DL412]
            """,
            good="""
                import torch
                from torch import nn

                class Blur(nn.Module):
                    def __init__(self, width):
                        super().__init__()
                        kernel = torch.ones(1, 1, width, width) / width**2
                        self.register_buffer("kernel", kernel)
            """,
        ),
    )

    def check(self, event: Registration) -> Iterable[Draft]:
        """The statement that keeps it."""
        yield Draft(
            code=self.code,
            message=(
                f"{code(f'self.{event.attribute}')} is neither parameter nor buffer, so `.to()` of "
                f"{code(event.module)} leaves it {_where(event.operand)}"
            ),
            site=event.site,
            help=f'register it: `self.register_buffer("{event.attribute}", …)`',
            cause=event.site,
        )


def _where(operand: Operand) -> str:
    """On the host, if it was made there; a tensor that came in may be anywhere."""
    return f"on {operand.device}" if is_host(operand.device) else "where it is"
