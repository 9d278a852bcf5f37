"""Which errors are about devices, told from their texts.

The texts are data: `error_texts.tsv`, one regular expression a row, in which braces stand for what every text
has. `{device}` and `{other}` are devices as torch writes them (`cuda:0`), `{Device}` and `{Other}` the names
of device types (`CUDA`), `{type}` and `{Type}` tensor types (`torch.cuda.FloatTensor`), `{kernel}` the
kernel that complained. What is called device is what a text complains of, what is called other is what it
should be like; small texts do not always say which is which.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from devlint.errors.kinds import EXPLANATIONS, ErrorKind, KindExplanation

_TABLE = Path(__file__).parent / "error_texts.tsv"
MAX_TEXT = 20_000
"""Characters of an error that are looked at. What a longer one is about stands at its beginning, or, where a
worker passes on a traceback, at its end."""

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
"""What every row's texts have in them, so that most errors cost one search."""
_TYPE_NAME = re.compile(r"(?:Variable\[)?torch\.(?:(cuda|xpu|mps|mtia)\.)?(?:sparse\.)?\w*Tensor\]?\Z")
_OLD_TYPE_NAME = re.compile(r"(?:Sparse)?(CPU|CUDA|MPS|XPU|HIP|Meta)\w+Type\Z")
_OVERLOAD = re.compile(r"\A(?:(?:Tensor|Scalar|out)_)+|(?:_(?:Tensor|Scalar|out))+\Z")
_PLACED = re.compile(r"\b(?:cuda|cpu|mps|xpu|hpu|npu|mtia|meta)(?::\d+)?\b")
_KERNEL_PREFIX = re.compile(
    r"\A(?:wrapper_(?:(?:Sparse)?(?:CUDA|CPU|MPS|XPU|Meta|HIP)_)?_*|_th(?:nn)?_|aten::|torch\.)"
)
_BARE_DTYPE = "dtype"
"""In the place of a device, where a text names a dtype alone."""
_WORKER = re.compile(r"Caught \w+ in (DataLoader worker process \d+|replica \d+ on device \d+)")


@dataclass(frozen=True, slots=True)
class ErrorText:
    """One row: a text of some era."""

    kind: ErrorKind
    since: str
    until: str
    source: str
    pattern: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Recognised:
    """An error about devices, and what its text says by itself. What it does not say is empty."""

    kind: ErrorKind
    device: str = ""
    """The device complained of, as torch writes it: `cuda:0`, `cpu`."""
    other: str = ""
    """The device that it should have been on, or like."""
    argument: str = ""
    """Torch's own name for the argument complained of: `mat2`."""
    kernel: str = ""
    """The operator inside torch that complained: `addmm`."""
    detail: str = ""
    """What else the text quotes: a device string, an ordinal, the error that a device reported."""
    count: str = ""
    """How many devices there are, where the text says so."""
    worker: str = ""
    """Where it happened first, if it was passed on from a worker: `DataLoader worker process 0`."""

    @property
    def explanation(self) -> KindExplanation:
        """The rule that speaks of it, what it says and the way out."""
        return EXPLANATIONS[self.kind]


def recognise(text: str) -> Recognised | None:
    """What an error's text says about devices, or None where it is about something else.

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
    """What a match says; None if it names the same device twice, and so is about something else."""
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
    """The device complained of and the one that it should be like, by whichever names a text has for them."""
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
    """The two devices that the text's line names, if it names two; the host is the likelier stray."""
    end = text.find("\n", match.end())
    line = text[text.rfind("\n", 0, match.start()) + 1 : len(text) if end < 0 else end]
    devices = list(dict.fromkeys(_PLACED.findall(line)))
    if len(devices) != 2:
        return None
    return ("cpu", devices[devices[0] == "cpu"]) if "cpu" in devices else (devices[0], devices[1])


def _named(device: str) -> str:
    """A device by its own name, or by that of a backend: `SparseCsrCUDA` is cuda."""
    return device.lower().removeprefix("sparse").removeprefix("csr")


def _of_type(name: str) -> str:
    """The device type of a tensor type: cuda for `torch.cuda.FloatTensor`, cpu for `CPUFloatType`."""
    match = _TYPE_NAME.match(name)
    if match is not None:
        return match[1] or "cpu"
    match = _OLD_TYPE_NAME.match(name)
    return match[1].lower() if match is not None else _BARE_DTYPE
