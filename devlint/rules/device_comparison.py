"""DL112: a comparison of devices that never holds."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import (
    CPU,
    Action,
    Applicability,
    Draft,
    EditRequest,
    FixRequest,
    Setting,
    SettingKind,
    Severity,
    parse_device,
)
from devlint.rules import wording
from devlint.rules.base import GOOD, Example, Rule
from devlint.rules.operand_text import is_primary


class DeviceComparison(Rule[Setting]):
    """
    ## What it does
    Reports a `torch.device` that is compared with a string, and a device with an ordinal that is compared
    with one without.

    ## Why it matters
    A `torch.device` never equals a string: `torch.device("cpu") == "cpu"` is False.
    `torch.device("cuda")` does not equal `torch.device("cuda:0")`, which is the device of a tensor on it.
    The branch is therefore never taken, or always. SpeechBrain and flair shipped such branches. Of 32 in
    current code where one side is known to be a `torch.device`, 5 were read, and all 5 were bugs.

    ## Use instead
    Compare the type, `x.device.type == "cuda"`, or use `x.is_cuda`. To compare complete devices, compare
    the devices of two tensors.

    ## When not to
    A comparison of two strings is correct; only a value that is known to be a `torch.device` is reported.

    ## References
    - [speechbrain@2c238f2](https://github.com/speechbrain/speechbrain/commit/2c238f2a8): `a.device ==
      b.device == "cuda"`
    - [flair@9f151e3](https://github.com/flairNLP/flair/commit/9f151e3de): a device compared with `"gpu"`
    - [`torch.device`](https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.device)
    """

    code = "DL112"
    name = "device-comparison"
    severity = Severity.ERROR
    enabled = True
    event = Setting
    about = frozenset({SettingKind.DEVICE_COMPARISON, SettingKind.ORDINAL_COMPARISON})
    examples = (
        Example(
            bad="""
                import torch

                def dot(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
                    if a.device == "cuda":  # error: [DL112]
                        a, b = a.half(), b.half()
                    return a @ b
            """,
            good="""
                import torch

                def dot(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
                    if a.device.type == "cuda":
                        a, b = a.half(), b.half()
                    return a @ b
            """,
            fixed=GOOD,
        ),
        Example(
            bad="""
                import torch

                device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
                pin = device != "cpu"  # error: [DL112]
            """,
            good="""
                import torch

                device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
                pin = device.type != "cpu"
            """,
            fixed=GOOD,
            unsafe=True,
        ),
    )

    def check(self, event: Setting) -> Iterable[Draft]:
        """One draft for each comparison."""
        match event.kind:
            case SettingKind.DEVICE_COMPARISON:
                subject = f"{wording.code(event.detail)} is" if event.detail else "this is"
                message = f'{subject} a `torch.device`, which never equals the string "{event.value}"'
                fix = _fix(event)
            case SettingKind.ORDINAL_COMPARISON:
                message = (
                    f"{wording.code(event.value)} has no ordinal, so it never equals "
                    f"{wording.code(event.detail)} on an accelerator"
                )
                fix = None
            case _:
                return
        yield Draft(self.code, message, event.site, help=_help_text(event), fix=fix, cause=event.site)


def _help_text(event: Setting) -> str:
    if event.kind is SettingKind.ORDINAL_COMPARISON:
        return "compare the types: `.type`"
    device = parse_device(event.value)
    if device is None:
        return f'compare the type, `.type`; no device type is called "{event.value}"'
    if device.index is not None:
        return f'compare with a device: `torch.device("{event.value}")`'
    return f'compare the type: `{event.detail or "device"}.type == "{event.value}"`'


def _fix(event: Setting) -> FixRequest | None:
    """Append `.type`, if the string is a device type. For "cpu", the fix changes what programs do on the
    CPU."""
    device = parse_device(event.value)
    if event.related is None or device is None or str(device) != event.value or device.index is not None:
        return None
    if not is_primary(event.detail):
        return None
    return FixRequest(
        message="Compare the device's type",
        applicability=Applicability.UNSAFE if device == CPU else Applicability.SAFE,
        edits=(EditRequest(event.related, Action.INSERT_AFTER, ".type"),),
    )
