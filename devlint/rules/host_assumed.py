"""DL411: an array is asked of a tensor that may be on an accelerator."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Draft, Setting, SettingKind, Severity
from devlint.rules.base import Example, Rule
from devlint.rules.wording import code, operator


class HostAssumed(Rule[Setting]):
    """
    ## What it does
    Reports `.numpy()` on a tensor that nothing has brought to the host: one that came in as an argument, that
    an unknown function returned, or that an object holds. In code that is for the host by its name, such as
    processors, it reports what is detached, as what comes from a model is, and what is asked whether it is a
    tensor.

    ## Why it matters
    NumPy reads host memory. If the tensor is on an accelerator, torch raises. DL107 reports such calls where
    it can show that the tensor is there; this rule asks for `.cpu()` wherever nothing shows that it is not.
    On the host, `.cpu()` copies nothing and costs next to nothing.

    ## Use instead
    `x.cpu().numpy()`, or `x.numpy(force=True)`, which detaches too.

    ## When not to
    Where all tensors are on the host by design.

    ## References
    - [`torch.Tensor.numpy`](https://docs.pytorch.org/docs/stable/generated/torch.Tensor.numpy.html)
    """

    code = "DL411"
    name = "host-assumed"
    severity = Severity.WARNING
    enabled = False
    event = Setting
    about = frozenset({SettingKind.HOST_ASSUMED})
    yields_to = ("DL107",)
    examples = (
        Example(
            bad="""
                import torch

                def as_points(boxes: torch.Tensor):
                    return boxes.reshape(-1, 2).numpy()  # error: [DL411]
            """,
            good="""
                import torch

                def as_points(boxes: torch.Tensor):
                    return boxes.reshape(-1, 2).cpu().numpy()
            """,
        ),
        Example(
            bad="""
                import torch

                @torch.no_grad()
                def probabilities(classifier, image):
                    return classifier(image).softmax(-1).detach().numpy()  # error: [DL411]
            """,
            good="""
                import torch

                @torch.no_grad()
                def probabilities(classifier, image):
                    return classifier(image).softmax(-1).numpy(force=True)
            """,
        ),
    )

    def check(self, event: Setting) -> Iterable[Draft]:
        """The call."""
        yield Draft(
            code=self.code,
            message=f"{operator(event.value)} reads host memory, and {code(event.detail)} may be elsewhere",
            site=event.site,
            help=f"copy it to the host first: `{event.detail}.cpu()`",
            cause=event.site,
        )
