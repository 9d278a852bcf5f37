"""DL201: the host reads a value from the device on a hot path."""

from __future__ import annotations

from devlint.model import Cause, Confidence, Operand, Synchronization
from devlint.rules.base import Example
from devlint.rules.wait import WaitRule
from devlint.rules.wording import named


class HostReadOnHotPath(WaitRule):
    """
    ## What it does
    Reports `.item()`, `.tolist()`, `float(t)`, `int(t)` and other reads of a device tensor's value into
    Python, in a training loop, a generation loop, a module's `forward`, or a function that is called only
    from those.

    Not reported:

    - a read under a condition such as `if step % 100 == 0`
    - a read of a host tensor
    - a read directly after another synchronization

    ## Why it matters
    The host queues work for the device and runs ahead of it. A read waits until all queued work has run,
    and the device is then idle until the host has queued more. In torchtune one `loss.item()` a step cost
    40 to 50 ms of every step (meta-pytorch/torchtune#522); in fvdb-reality-capture two reads an iteration
    cost 5 to 10 % (openvdb/fvdb-reality-capture#144).

    ## Use instead
    Keep the value on the device, and read it every so many steps or after the loop.

    ## When not to
    Ignore the finding where the host needs the value in every step to decide what to do next.

    ## References
    - [PyTorch: asynchronous
      execution](https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution)
    - [meta-pytorch/torchtune#522](https://github.com/meta-pytorch/torchtune/pull/522)
    - [openvdb/fvdb-reality-capture#144](https://github.com/openvdb/fvdb-reality-capture/pull/144)
    - The wait: `aten/src/ATen/native/cuda/CUDAScalar.cu` in PyTorch
    """

    code = "DL201"
    name = "host-read-on-hot-path"
    enabled = True
    cause = Cause.HOST_READ
    help_text = "keep the value on the device and read it every so many steps, or once after the loop"
    examples = (
        Example(
            bad="""
                import torch
                from torch import nn

                device = torch.device("cuda")
                model = nn.Linear(16, 1).to(device)
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

                def train(loader):
                    total = 0.0
                    for inputs, targets in loader:
                        inputs, targets = inputs.to(device), targets.to(device)
                        loss = nn.functional.mse_loss(model(inputs), targets)
                        optimizer.zero_grad()
                        loss.backward()
                        optimizer.step()
                        total += loss.item()  # error: [DL201]
                    return total
            """,
            good="""
                import torch
                from torch import nn

                device = torch.device("cuda")
                model = nn.Linear(16, 1).to(device)
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

                def train(loader):
                    total = torch.zeros((), device=device)
                    for inputs, targets in loader:
                        inputs, targets = inputs.to(device), targets.to(device)
                        loss = nn.functional.mse_loss(model(inputs), targets)
                        optimizer.zero_grad()
                        loss.backward()
                        optimizer.step()
                        total += loss.detach()
                    return total.item()
            """,
        ),
        Example(
            bad="""
                from torch import nn

                class Routed(nn.Module):
                    def __init__(self, width):
                        super().__init__()
                        self.gate = nn.Linear(width, 1)

                    def forward(self, x):
                        weight = self.gate(x).sigmoid().mean()
                        return x * float(weight)  # error: [DL201]
            """,
            good="""
                from torch import nn

                class Routed(nn.Module):
                    def __init__(self, width):
                        super().__init__()
                        self.gate = nn.Linear(width, 1)

                    def forward(self, x):
                        weight = self.gate(x).sigmoid().mean()
                        return x * weight
            """,
        ),
        Example(
            bad="""
                import torch
                import torch.nn.functional as F

                def fit(model, optimizer, batches, log):
                    model.cuda()
                    for step, (x, y) in enumerate(batches):
                        loss = F.cross_entropy(model(x.cuda()), y.cuda())
                        loss.backward()
                        optimizer.step()
                        optimizer.zero_grad()
                        log("loss", step, loss.item())  # error: [DL201]
            """,
            good="""
                import torch
                import torch.nn.functional as F

                def fit(model, optimizer, batches, log):
                    model.cuda()
                    for step, (x, y) in enumerate(batches):
                        loss = F.cross_entropy(model(x.cuda()), y.cuda())
                        loss.backward()
                        optimizer.step()
                        optimizer.zero_grad()
                        if step % 100 == 0:
                            log("loss", step, loss.item())
            """,
            confidence=Confidence.POSSIBLE,
        ),
    )

    def doing(self, event: Synchronization, operand: Operand) -> str:  # noqa: ARG002
        return f"reading {named(operand)}"
