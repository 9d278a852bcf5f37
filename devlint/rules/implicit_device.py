"""DL410: a factory names no device, in a function that has one at hand."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Draft, Setting, SettingKind, Severity
from devlint.rules.base import Example, Rule
from devlint.rules.wording import code


class ImplicitDevice(Rule[Setting]):
    """
    ## What it does
    Reports calls such as `torch.zeros(n)` that name no device, in functions that have one at hand: that are
    given a device or a tensor, ask something for its device or dtype, belong to a module or to a class that
    knows a device, or give the tensor to a collective. It passes over tensors that the function moves,
    registers with a module, copies into a part of another, or reads on the host at once. What becomes part of
    a module is reported where the same function gives others of its tensors a device: then nothing else moves
    it.

    ## Why it matters
    The tensor is made on the host. Sooner or later it meets what the function was given, and where that is on
    an accelerator, the operation raises. DL102 reports such calls once it can show the operation that would
    raise; this rule asks for the device wherever there is one to name, as those do who write libraries for
    every device.

    ## Use instead
    Name the device: `torch.zeros(n, device=x.device)`, or make it like something: `x.new_zeros(n)`.

    ## When not to
    In code that prepares data on the host, or counts something for the host alone.

    ## References
    - [`torch.set_default_device`](https://docs.pytorch.org/docs/stable/generated/torch.set_default_device.html)
    """

    code = "DL410"
    name = "implicit-device"
    severity = Severity.WARNING
    enabled = False
    event = Setting
    about = frozenset({SettingKind.IMPLICIT_DEVICE})
    yields_to = ("DL102", "DL301")
    examples = (
        Example(
            bad="""
                import torch

                def lengths_to_mask(lengths: torch.Tensor, most: int) -> torch.Tensor:
                    positions = torch.arange(most)  # error: [DL410]
                    return positions.expand(len(lengths), most)
            """,
            good="""
                import torch

                def lengths_to_mask(lengths: torch.Tensor, most: int) -> torch.Tensor:
                    positions = torch.arange(most, device=lengths.device)
                    return positions.expand(len(lengths), most)
            """,
        ),
        Example(
            bad="""
                import torch
                from torch import nn

                class Memory(nn.Module):
                    def initial_state(self, batch, width):
                        return torch.zeros(batch, width)  # error: [DL410]
            """,
            good="""
                import torch
                from torch import nn

                class Memory(nn.Module):
                    def initial_state(self, batch, width, device):
                        return torch.zeros(batch, width, device=device)
            """,
        ),
    )

    def check(self, event: Setting) -> Iterable[Draft]:
        """The call."""
        yield Draft(
            code=self.code,
            message=f"{code(event.value)} names no device, so its tensor is on the host",
            site=event.site,
            help=f"give it one: `device={event.detail}`" if event.detail else "give it `device=`",
            cause=event.site,
        )
