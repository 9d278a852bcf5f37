"""DL209: device work is timed with the host's clock, without waiting for it."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Draft, Note, Setting, SettingKind, Severity
from devlint.rules.base import Example, Rule


class TimingWithoutSynchronization(Rule[Setting]):
    """
    ## What it does
    Reports a time measurement with `time.time()`, `time.perf_counter()` or similar around device work, if
    nothing in between waits for that work.

    ## Why it matters
    A call that works on the device returns as soon as the work is queued. The measurement contains the
    time to queue the work, which can be a small part of the time to run it; the rest is attributed to the
    next synchronization.

    ## Use instead
    Call `torch.cuda.synchronize()` before each reading of the clock, or use `torch.cuda.Event` or
    `torch.utils.benchmark.Timer`.

    ## When not to
    Ignore the finding where the time to queue the work is the subject of the measurement.

    ## References
    - [PyTorch: asynchronous
      execution](https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution): "time
      measurements without synchronizations are not accurate"
    - [`torch.utils.benchmark`](https://docs.pytorch.org/docs/stable/benchmark_utils.html)
    """

    code = "DL209"
    name = "timing-without-synchronization"
    severity = Severity.WARNING
    enabled = True
    event = Setting
    about = frozenset({SettingKind.UNSYNCHRONIZED_TIMING})
    examples = (
        Example(
            bad="""
                import time

                import torch

                x = torch.randn(4096, 4096, device="cuda")

                started = time.time()
                y = x @ x
                print("matmul took", time.time() - started)  # error: [DL209]
            """,
            good="""
                import time

                import torch

                x = torch.randn(4096, 4096, device="cuda")

                torch.cuda.synchronize()
                started = time.time()
                y = x @ x
                torch.cuda.synchronize()
                print("matmul took", time.time() - started)
            """,
        ),
        Example(
            bad="""
                from time import perf_counter

                import torch
                from torch import nn

                model = nn.Linear(1024, 1024).cuda()
                batch = torch.randn(64, 1024, device="cuda")

                def latency():
                    begin = perf_counter()
                    model(batch)
                    return perf_counter() - begin  # error: [DL209]
            """,
            good="""
                from time import perf_counter

                import torch
                from torch import nn

                model = nn.Linear(1024, 1024).cuda()
                batch = torch.randn(64, 1024, device="cuda")

                def latency():
                    torch.cuda.synchronize()
                    begin = perf_counter()
                    model(batch)
                    torch.cuda.synchronize()
                    return perf_counter() - begin
            """,
        ),
    )

    def check(self, event: Setting) -> Iterable[Draft]:
        """The second reading of the clock."""
        work = event.detail or "device work"
        yield Draft(
            code=self.code,
            message=f"`{event.value}` is read before {work} has run: nothing in between waits for the device",
            site=event.site,
            notes=(Note(event.related, "the span begins here"),) if event.related is not None else (),
            help="call `torch.cuda.synchronize()` before each reading of the clock",
            cause=event.site,
        )
