"""DL210: the host waits for the device inside backward."""

from __future__ import annotations

from devlint.model import Cause, Operand, Synchronization
from devlint.rules.base import Example
from devlint.rules.wait import WaitRule
from devlint.rules.wording import operator


class SynchronizationInBackward(WaitRule):
    """
    ## What it does
    Reports synchronizations inside backward on a hot path: in hooks, in custom autograd functions, and in
    the derivatives of some of torch's operators. A synchronization in code that a checkpoint recomputes
    is reported where it happens in forward.

    ## Why it matters
    Backward is the longest stretch of work that the host queues without reading a value, and a
    synchronization in it leaves the device idle. It is hard to see: the line that synchronizes is not the
    line that calls `backward`, and a derivative of torch has no line in the program. Under DDP the
    synchronization also delays the reduction of gradients.

    ## Use instead
    Keep the value on the device: use `torch.where`, `clamp` or a product instead of a branch. Replace an
    operator whose derivative synchronizes: the derivative of `prod` looks for zeros.

    ## When not to
    Ignore the finding where a gradient decides what is computed next.

    ## References
    - `torch/csrc/autograd/FunctionsManual.cpp` in PyTorch: `prod_backward`, `cumprod_backward`
    - [PyTorch: extending torch.autograd](https://docs.pytorch.org/docs/stable/notes/extending.html)
    """

    code = "DL210"
    name = "synchronization-in-backward"
    enabled = False
    runtime_only = True
    cause = Cause.BACKWARD
    yields_to = ("DL201", "DL202", "DL203", "DL204", "DL205", "DL207", "DL208")
    help_text = "keep the value on the device, or use an operator whose derivative does not read it"
    examples = (
        Example(
            bad="""
                import torch
                from torch import nn

                model = nn.Linear(8, 8).cuda()
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

                def clipped(gradient):
                    if gradient.norm() > 1.0:  # error: [DL210]
                        return gradient / gradient.norm()
                    return gradient

                model.weight.register_hook(clipped)
                for _ in range(20):
                    loss = model(torch.randn(4, 8, device="cuda")).square().mean()
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
            """,
            good="""
                import torch
                from torch import nn

                model = nn.Linear(8, 8).cuda()
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

                def clipped(gradient):
                    return gradient / gradient.norm().clamp(min=1.0)

                model.weight.register_hook(clipped)
                for _ in range(20):
                    loss = model(torch.randn(4, 8, device="cuda")).square().mean()
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
            """,
        ),
        Example(
            bad="""
                import torch
                from torch import nn

                model = nn.Linear(8, 3).cuda()
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

                for _ in range(20):
                    odds = model(torch.randn(4, 8, device="cuda")).sigmoid().prod(dim=1)
                    optimizer.zero_grad()
                    odds.mean().backward()  # error: [DL210]
                    optimizer.step()
            """,
            good="""
                import torch
                from torch import nn

                model = nn.Linear(8, 3).cuda()
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

                for _ in range(20):
                    odds = model(torch.randn(4, 8, device="cuda")).sigmoid().log().sum(dim=1).exp()
                    optimizer.zero_grad()
                    odds.mean().backward()
                    optimizer.step()
            """,
        ),
    )

    def doing(self, event: Synchronization, operand: Operand) -> str:  # noqa: ARG002
        """The operator, with a mention of backward."""
        return f"{operator(event.operator)} in backward"
