"""DL402: `torch.load` without `map_location`."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import (
    Action,
    Applicability,
    Confidence,
    Draft,
    EditRequest,
    FixRequest,
    Setting,
    SettingKind,
    Severity,
)
from devlint.rules.base import GOOD, Example, Rule
from devlint.rules.wording import operator


class LoadWithoutMapLocation(Rule[Setting]):
    """
    ## What it does
    Reports `torch.load` of a file without `map_location`.

    ## Why it matters
    Each tensor is restored to the device that it was saved from. Without that device the call raises
    ("Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False"). With
    several processes, all of them fill the memory of `cuda:0`, as in huggingface/accelerate#299 and
    pytorch/examples#1079.

    ## Use instead
    Load to the host and let `load_state_dict` copy the values to the parameters, or pass the device. The
    fix is safe if the call is an argument of `load_state_dict`. It is unsafe elsewhere, because other
    code may rely on the device of the tensors.

    ## When not to
    Ignore the finding where the file contains no tensors, or was saved from the host.

    ## References
    - [`torch.load`](https://docs.pytorch.org/docs/stable/generated/torch.load.html)
    - [huggingface/accelerate#299](https://github.com/huggingface/accelerate/pull/299)
    - [pytorch/examples#1079](https://github.com/pytorch/examples/pull/1079)
    """

    code = "DL402"
    name = "load-without-map-location"
    severity = Severity.WARNING
    enabled = True
    event = Setting
    about = frozenset({SettingKind.LOAD})
    examples = (
        Example(
            bad="""
                import torch
                from torch import nn

                device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
                model = nn.Linear(4, 2).to(device)
                model.load_state_dict(torch.load("model.pt"))  # error: [DL402]
                logits = model(torch.rand(3, 4, device=device))
            """,
            good="""
                import torch
                from torch import nn

                device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
                model = nn.Linear(4, 2).to(device)
                model.load_state_dict(torch.load("model.pt", map_location="cpu"))
                logits = model(torch.rand(3, 4, device=device))
            """,
            fixed=GOOD,
        ),
        Example(
            bad="""
                import torch as th

                def resume(trainer, rank):
                    snapshot = th.load("snapshot.pt", weights_only=True)  # error: [DL402]
                    trainer.model.load_state_dict(snapshot["model"])
                    trainer.epoch = snapshot["epoch"]
            """,
            good="""
                import torch as th

                def resume(trainer, rank):
                    snapshot = th.load("snapshot.pt", map_location=f"cuda:{rank}", weights_only=True)
                    trainer.model.load_state_dict(snapshot["model"])
                    trainer.epoch = snapshot["epoch"]
            """,
            fixed="""
                import torch as th

                def resume(trainer, rank):
                    snapshot = th.load("snapshot.pt", weights_only=True, map_location="cpu")
                    trainer.model.load_state_dict(snapshot["model"])
                    trainer.epoch = snapshot["epoch"]
            """,
            unsafe=True,
            confidence=Confidence.POSSIBLE,
        ),
    )

    def check(self, event: Setting) -> Iterable[Draft]:
        """The call."""
        yield Draft(
            code=self.code,
            message=f"{operator(event.value)} without `map_location` loads to the device that was saved from",
            site=event.site,
            help='pass `map_location="cpu"`, or the device where the tensors are used',
            fix=FixRequest(
                message='add `map_location="cpu"`',
                applicability=Applicability.SAFE if event.detail else Applicability.UNSAFE,
                edits=(EditRequest(event.site, Action.APPEND_ARGUMENT, 'map_location="cpu"'),),
            ),
            cause=event.site,
        )
