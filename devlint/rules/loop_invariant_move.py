"""DL302: a tensor that does not change in a loop is copied in it again and again."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Draft, Severity, Transfer
from devlint.rules.base import Example, Rule
from devlint.rules.transfer import is_download, is_upload
from devlint.rules.wording import history, named


class LoopInvariantMove(Rule[Transfer]):
    """
    ## What it does
    Reports a copy in a loop, to a device or to the host, of a tensor that the loop does not change.

    ## Why it matters
    Every iteration copies the same values and, unless the copy is asynchronous, waits for it. Removing
    one upload reduced TensorRT-LLM's median latency from 298 to 270 ms (NVIDIA/TensorRT-LLM#16680).

    ## Use instead
    Move the tensor once, before the loop.

    ## When not to
    Ignore the finding where the device does not have enough memory to hold the tensor during the loop.

    ## References
    - [NVIDIA/TensorRT-LLM#16680](https://github.com/NVIDIA/TensorRT-LLM/pull/16680)
    - [Lightning-AI/pytorch-lightning#17334](https://github.com/Lightning-AI/pytorch-lightning/pull/17334)
    """

    code = "DL302"
    name = "loop-invariant-move"
    severity = Severity.WARNING
    enabled = True
    event = Transfer
    yields_to = ("DL303",)
    examples = (
        Example(
            bad="""
                import torch
                from torch import nn

                device = torch.device("cuda")
                weight = torch.tensor([0.1, 0.9])
                model = nn.Linear(8, 2).to(device)
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

                def train(loader):
                    for x, y in loader:
                        loss = nn.functional.cross_entropy(
                            model(x.to(device)),
                            y.to(device),
                            weight=weight.to(device),  # error: [DL302]
                        )
                        optimizer.zero_grad()
                        loss.backward()
                        optimizer.step()
            """,
            good="""
                import torch
                from torch import nn

                device = torch.device("cuda")
                weight = torch.tensor([0.1, 0.9], device=device)
                model = nn.Linear(8, 2).to(device)
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

                def train(loader):
                    for x, y in loader:
                        loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device), weight=weight)
                        optimizer.zero_grad()
                        loss.backward()
                        optimizer.step()
            """,
        ),
        Example(
            bad="""
                import torch

                def windowed(frames, size):
                    window = torch.hann_window(size)
                    spectra = []
                    for frame in frames:
                        spectra.append(torch.fft.rfft(frame.cuda() * window.cuda()))  # error: [DL302]
                    return torch.stack(spectra)
            """,
            good="""
                import torch

                def windowed(frames, size):
                    window = torch.hann_window(size, device="cuda")
                    spectra = []
                    for frame in frames:
                        spectra.append(torch.fft.rfft(frame.cuda() * window))
                    return torch.stack(spectra)
            """,
        ),
    )

    def check(self, event: Transfer) -> Iterable[Draft]:
        """A copy of values that stay the same."""
        if not event.loop_invariant or not (is_upload(event) or is_download(event)):
            return
        yield Draft(
            code=self.code,
            message=f"{named(event.operand)} is copied to {event.target} in each iteration, unchanged",
            site=event.site,
            notes=history(event.operand),
            help="move it once, before the loop",
            cause=event.site,
        )
