"""DL113: a device that torch rejects, or that does not exist."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from devlint.model import (
    Draft,
    Setting,
    SettingKind,
    Severity,
    parse_device,
)
from devlint.rules.base import Example, Rule


class InvalidDevice(Rule[Setting]):
    """
    ## What it does
    Reports a string that `torch.device` rejects, and an ordinal beyond the devices that the program makes
    visible.

    ## Why it matters
    The call raises `Invalid device string: 'cuda0'`, or `Expected one of cpu, cuda, … device type at
    start of device string: gpu`, but only when the line runs, often in the branch for machines with an
    accelerator. An ordinal beyond the visible devices raises `CUDA error: invalid device ordinal`: after
    `CUDA_VISIBLE_DEVICES=3`, the one visible device is `cuda:0`.

    ## Use instead
    Write the device type in lower case, and an ordinal after a colon: `cuda`, `cuda:0`, `mps`, `cpu`.
    Ordinals count the visible devices.

    ## When not to
    A word that resembles no device name of torch is not reported, because a backend may rename
    `privateuseone`.

    ## References
    - [`torch.device`](https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.device)
    - The grammar: `c10/core/Device.cpp` in pytorch
    """

    code = "DL113"
    name = "invalid-device"
    severity = Severity.ERROR
    enabled = True
    event = Setting
    about = frozenset({SettingKind.DEVICE_LITERAL, SettingKind.ORDINAL})
    examples = (
        Example(
            bad="""
                import torch

                device = torch.device("cpu")
                if torch.cuda.is_available():
                    device = torch.device("cuda0")  # error: [DL113]
                x = torch.zeros(3, device=device)
            """,
            good="""
                import torch

                device = torch.device("cpu")
                if torch.cuda.is_available():
                    device = torch.device("cuda:0")
                x = torch.zeros(3, device=device)
            """,
        ),
        Example(
            bad="""
                import torch

                x = torch.zeros(3).to("gpu")  # error: [DL113]
            """,
            good="""
                import torch

                x = torch.zeros(3, device="cuda")
            """,
        ),
    )

    def check(self, event: Setting) -> Iterable[Draft]:
        """One draft for each impossible device."""
        match event.kind:
            case SettingKind.DEVICE_LITERAL if parse_device(event.value) is None and not _may_be_a_backend(
                event.value
            ):
                message = f'"{event.value}" is not a device that torch knows'
                help_text = _meant(event.value)
            case SettingKind.ORDINAL if _is_beyond(event):
                message = f"{event.value} does not exist: the program makes {_devices(event.detail)} visible"
                help_text = "ordinals count from 0 among the visible devices"
            case _:
                return
        yield Draft(self.code, message, event.site, help=help_text, cause=event.site)


_COMMON = ("cuda", "cuda:0", "cpu", "mps", "xpu", "meta")
_OTHER_NAMES = {"gpu": "cuda", "nvidia": "cuda", "metal": "mps", "apple": "mps", "host": "cpu"}


def _may_be_a_backend(text: str) -> bool:
    """Whether it may name a backend outside of torch: a plain word that does not resemble a name of
    torch's."""
    kind, _, ordinal = text.partition(":")
    is_word = kind.isidentifier() and kind == kind.lower() and (not ordinal or ordinal.isdecimal())
    return is_word and not _meant(text).startswith("did you mean")


def _meant(text: str) -> str:
    """A suggestion of what was meant."""
    spelled = text.strip().lower().replace(" ", "")
    kind = spelled.rstrip("0123456789").rstrip(":")
    ordinal = spelled.removeprefix(kind).lstrip(":")
    kind = _OTHER_NAMES.get(kind, kind)
    guess = f"{kind}:{int(ordinal)}" if ordinal.isdecimal() else kind
    if parse_device(guess) is None:
        guess = next(iter(get_close_matches(spelled, _COMMON, n=1)), "")
    if guess:
        return f'did you mean "{guess}"?'
    return "a device is a type, and optionally a colon and an ordinal: `cuda:0`"


def _is_beyond(event: Setting) -> bool:
    device = parse_device(event.value)
    if device is None or device.index is None or not event.detail.isdecimal():
        return False
    return device.index >= int(event.detail)


def _devices(count: str) -> str:
    return "1 device" if count == "1" else f"{count} devices"
