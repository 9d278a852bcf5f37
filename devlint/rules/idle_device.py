"""DL416: a function is given a device, or asks for one, and puts nothing on it."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Draft, Setting, SettingKind, Severity
from devlint.rules.base import Example, Rule
from devlint.rules.wording import code


class IdleDevice(Rule[Setting]):
    """
    ## What it does
    Reports devices that decide nothing: a parameter `device` that a function only asks about, gives a
    default, or hands on to itself, and a name such as `device = x.device` that nothing reads. It passes over
    methods that override one of a base class, and functions that do nothing.

    ## Why it matters
    The device was meant for something: a move that is missing, a factory that names none, a result that
    should go back to where it came from. Who calls `load(path, device)` takes what it gives to be there.

    ## Use instead
    Put what the function makes or is given on the device, or take the device away.

    ## When not to
    Where others fix what a function takes: callbacks, plug-ins, a common signature.

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
                f"{function} is given {device}, and puts nothing there"
                if event.detail
                else f"{device} is asked for, and nothing is put there"
            ),
            site=event.site,
            help=f"move something there, `.to({event.value})`, or take it away",
            cause=event.site,
        )
