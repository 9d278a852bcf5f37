"""DL409: memory is pinned whether there is an accelerator or not."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Draft, Setting, SettingKind, Severity
from devlint.rules.base import Example, Rule
from devlint.rules.wording import code, operator

_LOADER = "torch.utils.data.DataLoader"


class PinnedWithoutAccelerator(Rule[Setting]):
    """
    ## What it does
    Reports `pin_memory=True` and `.pin_memory()` outside of a branch that tests for a device, in a
    program that also runs without an accelerator. Reports `pin_memory=device.type != "cpu"` in a program
    that supports MPS.

    ## Why it matters
    Pinned memory belongs to the driver of the accelerator. Without an accelerator, `.pin_memory()` and
    `torch.empty(n, pin_memory=True)` raise; a `DataLoader` warns in each epoch and does not pin. MPS has
    no pinned memory: LeRobot pinned there, copied asynchronously, and trained on batches that had not
    arrived (huggingface/lerobot#1490).

    ## Use instead
    Pin memory if the device is CUDA.

    ## When not to
    Ignore the finding where the warning of a data loader is acceptable.

    ## References
    - [huggingface/lerobot#1490](https://github.com/huggingface/lerobot/pull/1490)
    - [`DataLoader`](https://docs.pytorch.org/docs/stable/data.html#memory-pinning)
    - `torch/utils/data/dataloader.py`, `_BaseDataLoaderIter`: the warnings; `aten/src/ATen/Context.h`: the
      error
    """

    code = "DL409"
    name = "pinned-without-accelerator"
    severity = Severity.WARNING
    enabled = False
    event = Setting
    about = frozenset({SettingKind.PINNED})
    examples = (
        Example(
            bad="""
                import torch

                device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

                def upload(batch: torch.Tensor) -> torch.Tensor:
                    return batch.pin_memory().to(device, non_blocking=True)  # error: [DL409]
            """,
            good="""
                import torch

                device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

                def upload(batch: torch.Tensor) -> torch.Tensor:
                    if device.type == "cuda":
                        batch = batch.pin_memory()
                    return batch.to(device, non_blocking=True)
            """,
        ),
        Example(
            bad="""
                import torch
                from torch.utils.data import DataLoader

                def loader(images, device):
                    if device == "mps" and not torch.backends.mps.is_available():
                        raise ValueError("no MPS here")
                    device = torch.device(device)
                    return DataLoader(images, pin_memory=device.type != "cpu")  # error: [DL409]
            """,
            good="""
                import torch
                from torch.utils.data import DataLoader

                def loader(images, device):
                    if device == "mps" and not torch.backends.mps.is_available():
                        raise ValueError("no MPS here")
                    device = torch.device(device)
                    return DataLoader(images, pin_memory=device.type == "cuda")
            """,
        ),
        Example(
            bad="""
                import torch
                from torch.utils.data import DataLoader

                def train(model, images):
                    device = "cuda" if torch.cuda.is_available() else "cpu"
                    model.to(device)
                    for batch in DataLoader(images, pin_memory=True):  # error: [DL409]
                        model(batch.to(device, non_blocking=True))
            """,
            good="""
                import torch
                from torch.utils.data import DataLoader

                def train(model, images):
                    device = "cuda" if torch.cuda.is_available() else "cpu"
                    model.to(device)
                    for batch in DataLoader(images, pin_memory=torch.cuda.is_available()):
                        model(batch.to(device, non_blocking=True))
            """,
        ),
    )

    def check(self, event: Setting) -> Iterable[Draft]:
        """The call or argument that pins memory."""
        yield Draft(
            code=self.code,
            message=_what_happens(event),
            site=event.site,
            help='pin memory for CUDA only: `device.type == "cuda"`',
            cause=event.site,
        )


def _what_happens(event: Setting) -> str:
    if event.detail:
        return f"{code(event.detail)} is true for MPS, which has no pinned memory"
    if event.value == _LOADER:
        return "without an accelerator, which this program may run without, a loader warns and does not pin"
    return f"{operator(event.value)} raises without an accelerator, and this program allows for that"
