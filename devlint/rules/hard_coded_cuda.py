"""DL401: the text fixes the type of accelerator."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Draft, Setting, SettingKind, Severity
from devlint.rules.base import Example, Rule


class HardCodedCuda(Rule[Setting]):
    """
    ## What it does
    Reports `.cuda()`, `device="cuda"`, `torch.device("cuda:0")` and the like, outside of branches that have
    asked whether there is such a device.

    ## Why it matters
    The program runs on one kind of machine: it raises on a CPU, on Apple's and Intel's GPUs, and with
    `cuda:0` it takes the wrong device where a launcher has given the process another one.
    sentence-transformers, whisper, DeepSpeed and diffusers each had to take such literals out of library code
    (UKPLab/sentence-transformers@3606fa738, openai/whisper#2561, deepspeedai/DeepSpeed#5095,
    huggingface/diffusers#13336).

    ## Use instead
    Take the device from what is there already (`x.device`, a parameter of the model), or as an argument; at
    the program's entry, ask once.

    ## When not to
    In code that is for CUDA only: kernels, benchmarks, tests of them.

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
            message=f"the device is fixed to {event.value}, so this runs on no other kind of machine",
            site=event.site,
            help="take the device from a tensor or parameter that is there (`x.device`), or as an argument",
            cause=event.site,
        )
