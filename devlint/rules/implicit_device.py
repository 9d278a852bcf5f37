"""DL410: a factory call without a device, in a function that knows one."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Draft, Setting, SettingKind, Severity
from devlint.rules.base import Example, Rule
from devlint.rules.wording import code


class ImplicitDevice(Rule[Setting]):
    """
    ## What it does
    Reports factory calls without `device=`, such as `torch.zeros(n)`, in functions that know a device:
    functions that take a device or a tensor, read a tensor's device or dtype, belong to a module or to a
    class that knows a device, or pass the result to a collective. A tensor that becomes part of a module
    is reported if the same function passes a device for others of its tensors, because nothing else moves
    it.

    Not reported: tensors that the function moves, registers with a module, copies into a part of another
    tensor, or reads on the host at once.

    ## Why it matters
    The tensor is created on the host. If it is used with an argument that is on an accelerator, the
    operation raises. DL102 reports such calls only if it can show that operation; this rule requires a
    device wherever one is known, as libraries do that support every device.

    ## Use instead
    Pass the device, `torch.zeros(n, device=x.device)`, or use `x.new_zeros(n)`.

    ## When not to
    Ignore the finding in code that prepares data on the host, or counts something on the host.

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
            message=f"{code(event.value)} has no `device=`: its tensor is created on the host",
            site=event.site,
            help=f"pass `device={event.detail}`" if event.detail else "pass `device=`",
            cause=event.site,
        )
