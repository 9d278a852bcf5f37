"""DL415: data come on the host, and a function that has a device at hand leaves them there."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Draft, Setting, SettingKind, Severity
from devlint.rules.base import Example, Rule
from devlint.rules.wording import code


class HostData(Rule[Setting]):
    """
    ## What it does
    Reports tensors that certainly come on the host, and are not moved by a function that has a device at
    hand: `torch.from_numpy(array)`, what a tokenizer or a processor gives for `return_tensors="pt"`, and what
    a function of the project makes without a device. It passes over what the function moves, registers with
    a module, or reads on the host at once.

    ## Why it matters
    A model takes its inputs where it is. DL101, DL102 and DL106 report such data once they can show the
    operation that would raise; this rule asks for the move wherever there is a device to move to. DL410 does
    the same for factories, which take the device themselves.

    ## Use instead
    Move them where they come in: `torch.from_numpy(array).to(device)`.

    ## When not to
    Where the caller moves what the function returns, or the host alone reads it.

    ## References
    - [`torch.from_numpy`](https://docs.pytorch.org/docs/stable/generated/torch.from_numpy.html)
    """

    code = "DL415"
    name = "host-data"
    severity = Severity.WARNING
    enabled = False
    event = Setting
    about = frozenset({SettingKind.HOST_DATA})
    yields_to = ("DL101", "DL102", "DL106", "DL301", "DL410")
    examples = (
        Example(
            bad="""
                import torch

                class Problem:
                    def __init__(self, score, device: torch.device):
                        self.score = score
                        self.device = device

                    def evaluate(self, points):
                        x = torch.from_numpy(points)  # error: [DL415]
                        return self.score(x)
            """,
            good="""
                import torch

                class Problem:
                    def __init__(self, score, device: torch.device):
                        self.score = score
                        self.device = device

                    def evaluate(self, points):
                        x = torch.from_numpy(points).to(self.device)
                        return self.score(x)
            """,
        ),
        Example(
            bad="""
                import torch

                def generate(model, tokenizer, text):
                    inputs = tokenizer(text, return_tensors="pt")  # error: [DL415]
                    with torch.autocast(model.device.type):
                        return model.generate(**inputs)
            """,
            good="""
                import torch

                def generate(model, tokenizer, text):
                    inputs = tokenizer(text, return_tensors="pt").to(model.device)
                    with torch.autocast(model.device.type):
                        return model.generate(**inputs)
            """,
        ),
    )

    def check(self, event: Setting) -> Iterable[Draft]:
        """The call."""
        yield Draft(
            code=self.code,
            message=f"{code(event.value)} gives host data, and nothing here moves them",
            site=event.site,
            help=f"move them: `.to({event.detail})`",
            cause=event.site,
        )
