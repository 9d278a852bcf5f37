"""DL104: submodules that are not registered."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Draft, Registration, RegistrationKind, Severity
from devlint.rules import wording
from devlint.rules.base import Example, Rule


class UnregisteredSubmodules(Rule[Registration]):
    """
    ## What it does
    Reports submodules that an `nn.Module` stores in a plain list, tuple or dict, and layers with
    parameters that are created inside `forward`.

    ## Why it matters
    A module registers a submodule only if it is an attribute, or is in an `nn.ModuleList` or
    `nn.ModuleDict`. Of an unregistered submodule:

    - `.to()` does not move it: `Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor)
      should be the same`
    - `.parameters()` omits it, so an optimizer never trains it
    - `.state_dict()` does not save it

    A layer that is created in `forward` has new random parameters on the CPU in every call.

    ## Use instead
    Use `nn.ModuleList`, `nn.ModuleDict` or `nn.Sequential`, and create layers in `__init__`.

    ## When not to
    Ignore the finding where the modules must stay out of `.parameters()` and `.to()`, such as a frozen
    teacher that another object owns; where the module registers them in another way; or where they have
    no state.

    ## References
    - [pytorch/pytorch#8017](https://github.com/pytorch/pytorch/issues/8017): layers appended to a list
    - [sktime/pytorch-forecasting#2205](https://github.com/sktime/pytorch-forecasting/pull/2205): metrics in a
      list
    - [`nn.ModuleList`](https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleList.html)
    """

    code = "DL104"
    name = "unregistered-submodules"
    severity = Severity.ERROR
    enabled = True
    event = Registration
    about = frozenset({RegistrationKind.BUILT_IN_FORWARD, RegistrationKind.PLAIN_CONTAINER})
    examples = (
        Example(
            bad="""
                from torch import nn

                class Encoder(nn.Module):
                    def __init__(self, width, depth):
                        super().__init__()
                        self.layers = [nn.Linear(width, width) for _ in range(depth)]  # error: [DL104]

                    def forward(self, x):
                        for layer in self.layers:
                            x = layer(x).relu()
                        return x
            """,
            good="""
                from torch import nn

                class Encoder(nn.Module):
                    def __init__(self, width, depth):
                        super().__init__()
                        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))

                    def forward(self, x):
                        for layer in self.layers:
                            x = layer(x).relu()
                        return x
            """,
        ),
        Example(
            bad="""
                import torch.nn as nn

                class Head(nn.Module):
                    def __init__(self, classes):
                        super().__init__()
                        self.classes = classes

                    def forward(self, x):
                        x = nn.BatchNorm2d(x.shape[1])(x)  # error: [DL104]
                        return x.mean((2, 3))
            """,
            good="""
                import torch.nn as nn

                class Head(nn.Module):
                    def __init__(self, classes, channels):
                        super().__init__()
                        self.classes = classes
                        self.norm = nn.BatchNorm2d(channels)

                    def forward(self, x):
                        x = self.norm(x)
                        return x.mean((2, 3))
            """,
        ),
    )

    def check(self, event: Registration) -> Iterable[Draft]:
        """One draft for a container or a layer that is not registered."""
        match event.kind:
            case RegistrationKind.PLAIN_CONTAINER:
                message = (
                    f"`self.{event.attribute}` is a plain container: `.to()` and `.parameters()` of "
                    f"{wording.code(event.module)} skip its modules"
                )
                help_text = "use `nn.ModuleList` or `nn.ModuleDict`"
            case RegistrationKind.BUILT_IN_FORWARD:
                message = (
                    f"{wording.code(event.operand.path)} is created in `forward`: each call has new, "
                    f"untrained parameters on {event.operand.device}"
                )
                help_text = "build it in `__init__`, as an attribute of the module"
            case _:
                return
        yield Draft(self.code, message, event.site, help=help_text, cause=event.site)
