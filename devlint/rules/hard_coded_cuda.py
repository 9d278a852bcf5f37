"""DL401: the text fixes the type of accelerator."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Draft, Setting, SettingKind, Severity
from devlint.rules.base import Example, Rule


class HardCodedCuda(Rule[Setting]):
    """
    ## What it does
    Reports `.cuda()`, `device="cuda"`, `torch.device("cuda:0")` and similar code outside of branches that
    test whether the device is available.

    ## Why it matters
    The program runs on one kind of machine. It raises on a CPU and on Apple's and Intel's GPUs, and
    `cuda:0` is the wrong device if a launcher assigned another one to the process. sentence-transformers,
    whisper, DeepSpeed and diffusers had to remove such literals from library code
    (UKPLab/sentence-transformers@3606fa738, openai/whisper#2561, deepspeedai/DeepSpeed#5095,
    huggingface/diffusers#13336).

    ## Use instead
    Use the device of an existing tensor (`x.device`, a parameter of the model), or take the device as an
    argument. In the main program, choose it once.

    ## When not to
    Ignore the finding in code that is for CUDA only: kernels, benchmarks, and their tests.

    ## References
    - [openai/whisper#2561](https://github.com/openai/whisper/pull/2561)
    - [deepspeedai/DeepSpeed#5095](https://github.com/deepspeedai/DeepSpeed/pull/5095)
    - [huggingface/diffusers#13336](https://github.com/huggingface/diffusers/pull/13336)
    - [`torch.accelerator`](https://docs.pytorch.org/docs/stable/accelerator.html)
    """

    code = "DL401"
    name = "hard-coded-cuda"
    severity = Severity.WARNING
    enabled = False
    yields_to = ("DL418",)
    event = Setting
    about = frozenset({SettingKind.HARD_CODED})
    examples = (
        Example(
            bad="""
                import torch

                def contrastive_loss(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
                    scores = a @ b.T
                    positive = torch.eye(len(a), device="cuda")  # error: [DL401]
                    return ((scores - positive) ** 2).mean()
            """,
            good="""
                import torch

                def contrastive_loss(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
                    scores = a @ b.T
                    positive = torch.eye(len(a), device=a.device)
                    return ((scores - positive) ** 2).mean()
            """,
        ),
        Example(
            bad="""
                from torch import nn

                def build(width):
                    model = nn.Sequential(nn.Linear(width, width), nn.ReLU())
                    return model.cuda()  # error: [DL401]
            """,
            good="""
                from torch import nn

                def build(width, device):
                    model = nn.Sequential(nn.Linear(width, width), nn.ReLU())
                    return model.to(device)
            """,
        ),
    )

    def check(self, event: Setting) -> Iterable[Draft]:
        """A device literal, or a call that means one."""
        yield Draft(
            code=self.code,
            message=f"the device is hard-coded to {event.value}: the code fails on machines without it",
            site=event.site,
            help="use the device of an existing tensor, such as `x.device`, or an argument",
            cause=event.site,
        )
