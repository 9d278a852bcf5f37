"""Recognizing errors about devices by their texts.

The texts are data: `error_texts.tsv` has one regular expression per row, with these placeholders in braces.
`{device}` and `{other}` are devices as torch writes them (`cuda:0`), `{Device}` and `{Other}` the names of
device types (`CUDA`), `{type}` and `{Type}` tensor types (`torch.cuda.FloatTensor`), `{kernel}` the kernel
that raised the error. "device" is the device that is wrong, "other" the one that it should be; short texts do
not always say which is which.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from devlint.errors.kinds import EXPLANATIONS, ErrorKind, KindExplanation

_TABLE = Path(__file__).parent / "error_texts.tsv"
MAX_TEXT = 20_000
"""How many characters of an error are read: half at its beginning, and half at its end, where the error is if
a worker passes on a traceback."""

_DEVICE = r"[a-z]+(?::-?\d+)?"
_NAME = r"[A-Za-z]+(?::\d+)?"
_TYPE = r"[\w.]+(?:\[[\w.]+\])?"
_BRACES = {
    "{device}": f"(?P<device>{_DEVICE})",
    "{other}": f"(?P<other>{_DEVICE})",
    "{Device}": f"(?P<device>{_NAME})",
    "{Other}": f"(?P<other>{_NAME})",
    "{type}": f"(?P<type>{_TYPE})",
    "{Type}": f"(?P<other_type>{_TYPE})",
    "{kernel}": r"(?P<kernel>[\w:.]+)",
}
_SIGNALS = re.compile(
    r"devices?\b|driver|cuda|cpu|gpu|mps|xpu|hip|meta\b|backend|TensorOptions|expected type|ByteTensor"
    r"|Tensor type|all tensors to be|DLTensor|pinned|pin_memory|CUDNN|CUBLAS|\btype \(",
    re.IGNORECASE,
)
"""Words of which every text has one, so that one search excludes most errors."""
_TYPE_NAME = re.compile(r"(?:Variable\[)?torch\.(?:(cuda|xpu|mps|mtia)\.)?(?:sparse\.)?\w*Tensor\]?\Z")
_OLD_TYPE_NAME = re.compile(r"(?:Sparse)?(CPU|CUDA|MPS|XPU|HIP|Meta)\w+Type\Z")
_OVERLOAD = re.compile(r"\A(?:(?:Tensor|Scalar|out)_)+|(?:_(?:Tensor|Scalar|out))+\Z")
_PLACED = re.compile(r"\b(?:cuda|cpu|mps|xpu|hpu|npu|mtia|meta)(?::\d+)?\b")
_KERNEL_PREFIX = re.compile(
    r"\A(?:wrapper_(?:(?:Sparse)?(?:CUDA|CPU|MPS|XPU|Meta|HIP)_)?_*|_th(?:nn)?_|aten::|torch\.)"
)
_BARE_DTYPE = "dtype"
"""Stands for a device if a text only names a dtype."""
_WORKER = re.compile(r"Caught \w+ in (DataLoader worker process \d+|replica \d+ on device \d+)")


@dataclass(frozen=True, slots=True)
class ErrorText:
    """One row: a text of some releases."""

    kind: ErrorKind
    since: str
    until: str
    source: str
    pattern: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Recognised:
    """An error about devices, with the facts in its text. Missing facts are empty."""

    kind: ErrorKind
    device: str = ""
    """The device that is wrong, as torch writes it: `cuda:0`, `cpu`."""
    other: str = ""
    """The device that it should be."""
    argument: str = ""
    """Torch's name for the argument that is wrong: `mat2`."""
    kernel: str = ""
    """The operator inside torch that raised the error: `addmm`."""
    detail: str = ""
    """A further quotation: a device string, an ordinal, the error that a device reported."""
    count: str = ""
    """How many devices there are, if the text says so."""
    worker: str = ""
    """The worker that raised it first, if a worker passed it on: `DataLoader worker process 0`."""

    @property
    def explanation(self) -> KindExplanation:
        """Its rule, its meaning and its remedy."""
        return EXPLANATIONS[self.kind]


def recognise(text: str) -> Recognised | None:
    """The facts about devices in the text of an error; None if it is about something else.

    A text that names two types on one device is about their dtypes, and is not recognised.
    """
    if len(text) > MAX_TEXT:
        text = f"{text[: MAX_TEXT // 2]}\n{text[-MAX_TEXT // 2 :]}"
    if _SIGNALS.search(text) is None:
        return None
    for row in error_texts():
        match = row.pattern.search(text)
        found = None if match is None else _read(row.kind, match, text)
        if found is not None:
            return found
    return None


@cache
def error_texts() -> tuple[ErrorText, ...]:
    """All rows, in the order in which they are tried."""
    lines = _TABLE.read_text(encoding="utf-8").splitlines()
    return tuple(_row(line) for line in lines if line and not line.startswith("#"))


def _row(line: str) -> ErrorText:
    kind, since, until, source, pattern = line.split("\t")
    for brace, expression in _BRACES.items():
        pattern = pattern.replace(brace, expression)
    return ErrorText(ErrorKind(kind), since, until, source, re.compile(pattern, re.DOTALL))


def _read(kind: ErrorKind, match: re.Match[str], text: str) -> Recognised | None:
    """The facts in a match; None if it names the same device twice, and so is about something else."""
    groups = {name: value for name, value in match.groupdict().items() if value}
    device, other = _devices(groups)
    if _BARE_DTYPE in (device, other) or (device and device == other):
        return None
    if kind is ErrorKind.OPERANDS and not device:
        device, other = _mentioned(match, text) or (device, other)
    worker = _WORKER.search(text)
    return Recognised(
        kind,
        device=device,
        other=other,
        argument=groups.get("argument", "").replace("Input", "input"),
        kernel=_OVERLOAD.sub("", _KERNEL_PREFIX.sub("", groups.get("kernel", ""))),
        detail=next((groups[name] for name in ("given", "what", "tag", "ordinal") if name in groups), ""),
        count=groups.get("count", ""),
        worker=worker[1] if worker is not None else "",
    )


def _devices(groups: dict[str, str]) -> tuple[str, str]:
    """The wrong device and the one that it should be, from the placeholders of a text."""
    if "type" in groups:
        return _of_type(groups["type"]), _of_type(groups["other_type"]) if "other_type" in groups else ""
    if "cuda_device" in groups:
        return f"cuda:{groups['cuda_device']}", f"cuda:{groups['cuda_other']}"
    device, other = _named(groups.get("device", "")), _named(groups.get("other", ""))
    if "gpu" in groups:
        other = "cuda" if groups["gpu"] == "GPU" else "cpu"
    if device == other:
        other = groups.get("third", other)
    return device, other


def _mentioned(match: re.Match[str], text: str) -> tuple[str, str] | None:
    """The two devices that the line names, if it names two. The host comes first, because it is more likely
    wrong."""
    end = text.find("\n", match.end())
    line = text[text.rfind("\n", 0, match.start()) + 1 : len(text) if end < 0 else end]
    devices = list(dict.fromkeys(_PLACED.findall(line)))
    if len(devices) != 2:
        return None
    return ("cpu", devices[devices[0] == "cpu"]) if "cpu" in devices else (devices[0], devices[1])


def _named(device: str) -> str:
    """The device of a name: its own, or that of a backend (`SparseCsrCUDA` is cuda)."""
    return device.lower().removeprefix("sparse").removeprefix("csr")


def _of_type(name: str) -> str:
    """The device type of a tensor type: cuda for `torch.cuda.FloatTensor`, cpu for `CPUFloatType`."""
    match = _TYPE_NAME.match(name)
    if match is not None:
        return match[1] or "cpu"
    match = _OLD_TYPE_NAME.match(name)
    return match[1].lower() if match is not None else _BARE_DTYPE
