"""DL416: a function takes or reads a device, and places nothing on it."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Draft, Setting, SettingKind, Severity
from devlint.rules.base import Example, Rule
from devlint.rules.wording import code


class IdleDevice(Rule[Setting]):
    """
    ## What it does
    Reports devices that are not used: a parameter `device` that a function only tests, gives a default,
    or passes on to itself, and a name such as `device = x.device` that nothing reads. Methods that
    override a method of a base class, and empty functions, are not reported.

    ## Why it matters
    An unused device indicates a missing move, a factory call without `device=`, or a result that should
    be moved back. A caller of `load(path, device)` expects the result on that device.

    ## Use instead
    Use the device, or remove it.

    ## When not to
    Ignore the finding where the signature is fixed by others: callbacks, plug-ins, a common interface.

    ## References
    - [`Tensor.to`](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html)
    """

    code = "DL416"
    name = "idle-device"
    severity = Severity.WARNING
    enabled = False
    event = Setting
    about = frozenset({SettingKind.IDLE_DEVICE})
    examples = (
        Example(
            bad="""
                import torch

                def move_all(state, device: torch.device):  # error: [DL416]
                    if isinstance(state, dict):
                        return {key: move_all(value, device) for key, value in state.items()}
                    return state
            """,
            good="""
                import torch

                def move_all(state, device: torch.device):
                    if isinstance(state, dict):
                        return {key: move_all(value, device) for key, value in state.items()}
                    return state.to(device)
            """,
        ),
        Example(
            bad="""
                import torch

                def gather(x: torch.Tensor, communicator):
                    original_device = x.device  # error: [DL416]
                    x = communicator.all_gather(x.to(communicator.device))
                    return x
            """,
            good="""
                import torch

                def gather(x: torch.Tensor, communicator):
                    original_device = x.device
                    x = communicator.all_gather(x.to(communicator.device))
                    return x.to(original_device)
            """,
        ),
    )

    def check(self, event: Setting) -> Iterable[Draft]:
        """The name."""
        device, function = code(event.value), code(event.detail)
        yield Draft(
            code=self.code,
            message=(
                f"{function} takes {device}, but places nothing on it"
                if event.detail
                else f"{device} is read, but nothing is placed on it"
            ),
            site=event.site,
            help=f"use it, as in `.to({event.value})`, or remove it",
            cause=event.site,
        )
