"""DL414: nobody keeps the result of a move, and what is moved may be a tensor."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Draft, Setting, SettingKind, Severity
from devlint.rules.base import Example, Rule
from devlint.rules.wording import code


class UnkeptMove(Rule[Setting]):
    """
    ## What it does
    Reports `.to()`, `.cuda()` and the like as a statement of their own on what may be a tensor, and is not
    shown to be a module: it is never called, has no `.parameters()` or `.eval()`, comes from no class, and is
    not named for a model. It reports them on tensors that are there already, too: they do nothing.

    ## Why it matters
    A module moves in place; a tensor does not, and stays where it was. DL105 reports such statements on what
    is known to be a tensor elsewhere; this rule asks for a look at the others.

    ## Use instead
    Assign the result, which is right for both: `.to()` of a module gives the module.

    ## When not to
    Where it is a module, a batch or another object that moves in place, and the program cannot say so by an
    annotation.

    ## References
    - [`Tensor.to`](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html)
    - [`Module.to`](https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html)
    """

    code = "DL414"
    name = "unkept-move"
    severity = Severity.WARNING
    enabled = False
    event = Setting
    about = frozenset({SettingKind.UNKEPT_MOVE})
    yields_to = ("DL105",)
    examples = (
        Example(
            bad="""
                import torch

                def batches(loader, step, device: torch.device):
                    for features, labels in loader:
                        labels.to(device)  # error: [DL414]
                        yield step(features, labels)
            """,
            good="""
                import torch

                def batches(loader, step, device: torch.device):
                    for features, labels in loader:
                        labels = labels.to(device)
                        yield step(features, labels)
            """,
        ),
        Example(
            bad="""
                import torch

                class States:
                    def __init__(self, states):
                        self.states = states

                    def fetch(self, device: torch.device):
                        for i in range(len(self.states)):
                            self.states[i].to(device)  # error: [DL414]
            """,
            good="""
                import torch

                class States:
                    def __init__(self, states):
                        self.states = states

                    def fetch(self, device: torch.device):
                        for i in range(len(self.states)):
                            self.states[i] = self.states[i].to(device)
            """,
        ),
    )

    def check(self, event: Setting) -> Iterable[Draft]:
        """The call."""
        moved, method = event.detail, event.value.rpartition(".")[2]
        yield Draft(
            code=self.code,
            message=f"nothing keeps what `{moved}.{method}()` returns, and {code(moved)} may be a tensor",
            site=event.site,
            help=f"keep the result: `{moved} = {moved}.{method}(…)`",
            cause=event.site,
        )
