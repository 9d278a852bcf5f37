"""DL417: one branch moves what gets a name, and another leaves it where it is."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Draft, Setting, SettingKind, Severity
from devlint.rules.base import Example, Rule
from devlint.rules.wording import code


class UnevenMove(Rule[Setting]):
    """
    ## What it does
    Reports values that one branch of an `if` binds to a name without a move, where another branch moves what
    it binds to the same name: a tensor or module that came in, a tensor made by torch without a device, an
    object of a class. It passes over branches whose tests are about devices, and what is moved behind them.

    ## Why it matters
    What comes behind the branches takes the name for one thing. On the way without a move it is on the host,
    or where the caller had it, and an operation with the rest raises there alone, in the case that is seldom
    tried.

    ## Use instead
    Move on each way, or once behind all of them.

    ## When not to
    Where the branches part what is on the device already from what is not.

    ## References
    - [`Tensor.to`](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html)
    """

    code = "DL417"
    name = "uneven-move"
    severity = Severity.WARNING
    enabled = False
    event = Setting
    about = frozenset({SettingKind.UNEVEN_MOVE})
    yields_to = ("DL101", "DL102", "DL106", "DL410", "DL415")
    examples = (
        Example(
            bad="""
                import torch
                from torch import nn

                def prepare_loss(loss, model: nn.Module, device: torch.device):
                    if isinstance(loss, nn.Module):
                        loss = loss.to(device)
                    else:
                        loss = loss(model)  # error: [DL417]
                    return loss
            """,
            good="""
                import torch
                from torch import nn

                def prepare_loss(loss, model: nn.Module, device: torch.device):
                    if isinstance(loss, nn.Module):
                        loss = loss.to(device)
                    else:
                        loss = loss(model).to(device)
                    return loss
            """,
        ),
        Example(
            bad="""
                import torch
                from torch import nn

                class Distance(nn.Module):
                    def __init__(self):
                        super().__init__()
                        self.scale = nn.Parameter(torch.ones(4))

                def distance(similarity, samples: torch.Tensor):
                    if isinstance(similarity, nn.Module):
                        net = similarity.to(samples.device)
                    else:
                        net = Distance()  # error: [DL417]
                    return net(samples)
            """,
            good="""
                import torch
                from torch import nn

                class Distance(nn.Module):
                    def __init__(self):
                        super().__init__()
                        self.scale = nn.Parameter(torch.ones(4))

                def distance(similarity, samples: torch.Tensor):
                    if isinstance(similarity, nn.Module):
                        net = similarity
                    else:
                        net = Distance()
                    net = net.to(samples.device)
                    return net(samples)
            """,
        ),
    )

    def check(self, event: Setting) -> Iterable[Draft]:
        """The value that is left where it is."""
        yield Draft(
            code=self.code,
            message=f"this branch leaves {code(event.value)} where it is; another has {code(event.detail)}",
            site=event.site,
            help="move it on each branch, or once behind them",
            cause=event.site,
        )
