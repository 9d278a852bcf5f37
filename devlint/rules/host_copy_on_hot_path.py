"""DL205: a device tensor is copied to the host on a hot path."""

from __future__ import annotations

from devlint.model import Cause, Operand, Synchronization
from devlint.rules.base import Example
from devlint.rules.wait import WaitRule
from devlint.rules.wording import named


class HostCopyOnHotPath(WaitRule):
    """
    ## What it does
    Reports `.cpu()`, `.to("cpu")` and `.numpy(force=True)` of a device tensor, on a hot path.

    ## Why it matters
    A copy to the host waits for all work that is queued on the device, and then for the copy itself;
    meanwhile the device is idle. TRL replaced a `.tolist()` for each row of a device tensor by one copy
    of the whole batch (huggingface/trl#5218).

    ## Use instead
    Collect the results on the device and copy them together after the loop. If they must leave in each
    step, copy into pinned memory with `non_blocking=True`, and wait for an event one step later.

    ## When not to
    Ignore the finding where the host uses the values in each step anyway, for an environment, a file or a
    plot.

    ## References
    - The wait: `aten/src/ATen/native/cuda/Copy.cu` in PyTorch
    - [huggingface/trl#5218](https://github.com/huggingface/trl/pull/5218)
    - [PyTorch: asynchronous
      execution](https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution)
    """

    code = "DL205"
    name = "host-copy-on-hot-path"
    enabled = True
    cause = Cause.HOST_COPY
    help_text = "collect the results on the device, and copy them together after the loop"
    yields_to = ("DL302", "DL303")
    examples = (
        Example(
            bad="""
                import torch
                from torch import nn

                device = torch.device("cuda")
                model = nn.Linear(16, 4).to(device)
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

                def train(loader):
                    outputs = []
                    for inputs, targets in loader:
                        prediction = model(inputs.to(device))
                        loss = nn.functional.mse_loss(prediction, targets.to(device))
                        optimizer.zero_grad()
                        loss.backward()
                        optimizer.step()
                        outputs.append(prediction.detach().cpu())  # error: [DL205]
                    return torch.cat(outputs)
            """,
            good="""
                import torch
                from torch import nn

                device = torch.device("cuda")
                model = nn.Linear(16, 4).to(device)
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

                def train(loader):
                    outputs = []
                    for inputs, targets in loader:
                        prediction = model(inputs.to(device))
                        loss = nn.functional.mse_loss(prediction, targets.to(device))
                        optimizer.zero_grad()
                        loss.backward()
                        optimizer.step()
                        outputs.append(prediction.detach())
                    return torch.cat(outputs).cpu()
            """,
        ),
        Example(
            bad="""
                import numpy as np
                from torch import nn

                class Histogram(nn.Module):
                    def __init__(self, width):
                        super().__init__()
                        self.project = nn.Linear(width, width)
                        self.seen = []

                    def forward(self, x):
                        y = self.project(x)
                        self.seen.append(np.mean(y.detach().cpu().numpy()))  # error: [DL205]
                        return y
            """,
            good="""
                from torch import nn

                class Histogram(nn.Module):
                    def __init__(self, width):
                        super().__init__()
                        self.project = nn.Linear(width, width)
                        self.seen = []

                    def forward(self, x):
                        y = self.project(x)
                        self.seen.append(y.detach().mean())
                        return y
            """,
        ),
    )

    def doing(self, event: Synchronization, operand: Operand) -> str:  # noqa: ARG002
        return f"copying {named(operand)} to the host"
