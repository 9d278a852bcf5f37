"""DL418: an accelerator is taken for granted in a program that does without one elsewhere."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Draft, Note, Setting, SettingKind, Severity
from devlint.rules.base import Example, Rule
from devlint.rules.wording import code


class CudaBesideFallback(Rule[Setting]):
    """
    ## What it does
    Reports `.cuda()`, `device="cuda"` and similar code, and calls of functions such as
    `torch.cuda.synchronize()`, in a program that chooses its device by `torch.cuda.is_available()`
    elsewhere, and goes on without one. Only code that the program reaches on a machine without CUDA, whatever
    its options are, is reported.

    ## Why it matters
    On a machine without CUDA, for which the choice was written, the program gets as far as this line and
    raises. With another choice of device, such as `cuda:1`, the line may use the wrong one.

    ## Use instead
    Use the device that the program has chosen.

    ## When not to
    Ignore the finding where the test only turns off something that CUDA alone has.

    ## References
    - [`torch.cuda.is_available`](https://docs.pytorch.org/docs/stable/generated/torch.cuda.is_available.html)
    - [`torch.Tensor.cuda`](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.cuda.html)
    """

    code = "DL418"
    name = "cuda-beside-fallback"
    severity = Severity.WARNING
    enabled = True
    event = Setting
    about = frozenset({SettingKind.BESIDE_FALLBACK})
    examples = (
        Example(
            bad="""
                import torch

                device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
                model = torch.nn.Linear(8, 4).to(device)
                probe = torch.ones(1, 8).cuda()  # error: [DL418]
                print(model(probe))
            """,
            good="""
                import torch

                device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
                model = torch.nn.Linear(8, 4).to(device)
                probe = torch.ones(1, 8, device=device)
                print(model(probe))
            """,
        ),
        Example(
            bad="""
                import torch

                def counts(labels, classes):
                    found = torch.zeros(classes, device="cuda")  # error: [DL418]
                    return found.index_add(0, labels, torch.ones_like(labels, dtype=torch.float))

                device = "cpu"
                if torch.cuda.is_available():
                    device = "cuda"
                else:
                    print("no GPU")
                print(counts(torch.arange(4, device=device), 4))
            """,
            good="""
                import torch

                def counts(labels, classes):
                    found = torch.zeros(classes, device=labels.device)
                    return found.index_add(0, labels, torch.ones_like(labels, dtype=torch.float))

                device = "cpu"
                if torch.cuda.is_available():
                    device = "cuda"
                else:
                    print("no GPU")
                print(counts(torch.arange(4, device=device), 4))
            """,
        ),
        Example(
            bad="""
                import torch

                device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
                model = torch.nn.Linear(8, 4).to(device)
                print(torch.cuda.get_device_name(0))  # error: [DL418]
                model(torch.ones(1, 8, device=device))
                if device.type == "cuda":
                    torch.cuda.synchronize()
            """,
            good="""
                import torch

                device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
                model = torch.nn.Linear(8, 4).to(device)
                print(torch.cuda.get_device_name(0) if torch.cuda.is_available() else device)
                model(torch.ones(1, 8, device=device))
                if device.type == "cuda":
                    torch.cuda.synchronize()
            """,
        ),
    )

    def check(self, event: Setting) -> Iterable[Draft]:
        """A device literal, or a call that means one."""
        yield Draft(
            code=self.code,
            message=f"{_what(event)}, but the program also runs on the host",
            site=event.site,
            notes=(Note(event.related, "here the program may choose the host"),)
            if event.related is not None
            else (),
            help=_HELP_WITH_CALL if event.detail else "use the device that the program has chosen",
            cause=event.site,
        )


_HELP_WITH_CALL = "call it only where `torch.cuda.is_available()` is true"


def _what(event: Setting) -> str:
    if event.detail:
        return f"{code(event.detail)} raises without CUDA"
    return f"the device is hard-coded to {event.value}"
