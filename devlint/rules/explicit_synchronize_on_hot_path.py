"""DL206: the program asks the host to wait, or empties the cache, on a hot path."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Cause, Draft, Severity, Synchronization
from devlint.rules.base import Example, Rule
from devlint.rules.paths import confidence_of_path
from devlint.rules.wording import operator


class ExplicitSynchronizeOnHotPath(Rule[Synchronization]):
    """
    ## What it does
    Reports `torch.cuda.synchronize()`, `torch.accelerator.synchronize()`, `Stream.synchronize()`,
    `Event.synchronize()` and `torch.cuda.empty_cache()` on a hot path.

    ## Why it matters
    The host waits for all queued work in every step. In KPConv-PyTorch, timers that synchronize inside
    the training loop made training 25 % slower (HuguesTHOMAS/KPConv-PyTorch#22). `empty_cache` also
    returns memory to the driver that the next step requests again; `cudaFree` and `cudaMalloc`
    synchronize as well.

    ## Use instead
    Remove the call: work on one stream runs in order. To measure time, record
    `torch.cuda.Event(enable_timing=True)` and synchronize once at the end. To save memory, drop
    references.

    ## When not to
    Ignore the finding in benchmarks, which must synchronize, and where another stream, process or library
    reads the result.

    ## References
    - [HuguesTHOMAS/KPConv-PyTorch#22](https://github.com/HuguesTHOMAS/KPConv-PyTorch/issues/22)
    - [huggingface/diffusers#11927](https://github.com/huggingface/diffusers/pull/11927)
    - [PyTorch: asynchronous
      execution](https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution)
    """

    code = "DL206"
    name = "explicit-synchronize-on-hot-path"
    severity = Severity.WARNING
    enabled = True
    event = Synchronization
    examples = (
        Example(
            bad="""
                import time

                import torch
                from torch import nn

                device = torch.device("cuda")
                model = nn.Linear(64, 64).to(device)
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

                def train(loader):
                    started = time.perf_counter()
                    for x in loader:
                        loss = model(x.to(device)).square().mean()
                        optimizer.zero_grad()
                        loss.backward()
                        optimizer.step()
                        torch.cuda.synchronize()  # error: [DL206]
                    return time.perf_counter() - started
            """,
            good="""
                import time

                import torch
                from torch import nn

                device = torch.device("cuda")
                model = nn.Linear(64, 64).to(device)
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

                def train(loader):
                    started = time.perf_counter()
                    for x in loader:
                        loss = model(x.to(device)).square().mean()
                        optimizer.zero_grad()
                        loss.backward()
                        optimizer.step()
                    torch.cuda.synchronize()
                    return time.perf_counter() - started
            """,
        ),
        Example(
            bad="""
                import torch

                def fit(model, optimizer, loader, criterion):
                    for x, y in loader:
                        loss = criterion(model(x.cuda()), y.cuda())
                        optimizer.zero_grad()
                        loss.backward()
                        optimizer.step()
                        torch.cuda.empty_cache()  # error: [DL206]
            """,
            good="""
                import torch

                def fit(model, optimizer, loader, criterion):
                    for x, y in loader:
                        loss = criterion(model(x.cuda()), y.cuda())
                        optimizer.zero_grad()
                        loss.backward()
                        optimizer.step()
                    torch.cuda.empty_cache()
            """,
        ),
    )

    def check(self, event: Synchronization) -> Iterable[Draft]:
        """The call, on a hot path."""
        if event.cause is not Cause.EXPLICIT or event.hot is None or event.waited_already:
            return
        yield Draft(
            code=self.code,
            message=f"{operator(event.operator)} makes the host wait for the device, in {event.hot.value}",
            site=event.site,
            help="remove it, or move it behind the loop: work on one stream runs in order",
            cause=event.site,
            confidence=confidence_of_path(event),
        )
