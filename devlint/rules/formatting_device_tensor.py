"""DL203: a device tensor is printed or formatted on a hot path."""

from __future__ import annotations

from devlint.model import Cause, Confidence, Operand, Synchronization
from devlint.rules.base import Example
from devlint.rules.wait import WaitRule
from devlint.rules.wording import named


class FormattingDeviceTensor(WaitRule):
    """
    ## What it does
    Reports `print(t)`, `f"{t}"`, `str(t)`, `"...".format(t)` and logging of a device tensor, on a hot path.

    ## Why it matters
    Formatting needs the values, so the host waits, and more than once: in torch 2.13 printing a 0-dim
    CUDA tensor reads 7 scalars one by one, a 4x4 tensor 36, and a 1000x1000 tensor 76 (counted in
    `torch/_tensor_str.py`).

    ## Use instead
    Print every so many steps, and print a number: `loss.item()` reads once.

    ## When not to
    While debugging.

    ## References
    - `torch/_tensor_str.py` and `Tensor.__format__` in `torch/_tensor.py`
    - [PyTorch: performance tuning
      guide](https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html)
    """

    code = "DL203"
    name = "formatting-device-tensor"
    enabled = True
    cause = Cause.FORMAT
    help_text = "format it every so many steps, and format the number that `.item()` reads once"
    examples = (
        Example(
            bad="""
                import torch
                from torch import nn

                device = torch.device("cuda")
                model = nn.Linear(2, 2).to(device)
                optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

                for step in range(500):
                    x = torch.rand(4, 2, device=device)
                    loss = model(x).sum()
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
                    print("step", step, "loss", loss)  # error: [DL203]
            """,
            good="""
                import torch
                from torch import nn

                device = torch.device("cuda")
                model = nn.Linear(2, 2).to(device)
                optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

                for step in range(500):
                    x = torch.rand(4, 2, device=device)
                    loss = model(x).sum()
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
                    if step % 100 == 0:
                        print("step", step, "loss", loss.item())
            """,
        ),
        Example(
            bad="""
                import torch.nn.functional as F
                from tqdm import tqdm

                def epoch(model, loader, optimizer):
                    model.cuda()
                    bar = tqdm(loader)
                    for images, labels in bar:
                        loss = F.cross_entropy(model(images.cuda()), labels.cuda())
                        optimizer.zero_grad()
                        loss.backward()
                        optimizer.step()
                        bar.set_description(f"loss {loss:.3f}")  # error: [DL203]
            """,
            good="""
                import torch.nn.functional as F
                from tqdm import tqdm

                def epoch(model, loader, optimizer):
                    model.cuda()
                    bar = tqdm(loader)
                    for step, (images, labels) in enumerate(bar):
                        loss = F.cross_entropy(model(images.cuda()), labels.cuda())
                        optimizer.zero_grad()
                        loss.backward()
                        optimizer.step()
                        if step % 50 == 0:
                            bar.set_description(f"loss {loss:.3f}")
            """,
            confidence=Confidence.POSSIBLE,
        ),
    )

    def doing(self, event: Synchronization, operand: Operand) -> str:  # noqa: ARG002
        return f"formatting {named(operand)}"
