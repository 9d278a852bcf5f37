"""Runs a program on simulated devices, to record the devices of revealed values and the line that raises."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import devlint
from tests.source.machine.checking import PROGRAM, REVEAL

MISMATCH = (
    "same device", "same-device", "device type", "device of", "on cuda", "on the CPU", "device index",
    "on CPU", "CUDA error: invalid device ordinal", "Invalid device string", "cpu memory", "host memory",
)  # fmt: skip
"""Parts of the texts of errors about devices."""


@dataclass
class Ran:
    """The observations of a run, up to its end."""

    revealed: dict[int, set[str]] = field(default_factory=dict)
    raised: int | None = None
    """The line of the program at which an error about devices was raised."""
    other: str = ""
    """An error about something else, which says that the program is no program that can be run."""


def run(text: str, files: Sequence[tuple[str, str]], directory: Path) -> Ran:
    """Run a program, beside the other files of its project in a directory, with three devices."""
    for name, content in files:
        place = directory / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content, encoding="utf-8")
    program = directory / PROGRAM
    ran = Ran()

    def reveal(value: Any) -> Any:
        ran.revealed.setdefault(sys._getframe(1).f_lineno, set()).add(_shown(value))
        return value

    known, path, arguments, environment = set(sys.modules), list(sys.path), sys.argv, dict(os.environ)
    sys.path.insert(0, str(directory))
    sys.argv = [str(program)]
    try:
        with devlint.simulate("cuda", devices=3):
            try:
                exec(compile(text, str(program), "exec"), {"__name__": "__main__", REVEAL: reveal})
            finally:
                _as_it_was()
    except SystemExit as error:
        ran.other = f"it exits with {error.code}" if error.code else ""
    except Exception as error:
        line = _line_of(error, str(program))
        if isinstance(error, RuntimeError | TypeError | ValueError) and any(
            each in str(error) for each in MISMATCH
        ):
            ran.raised = line
        else:
            ran.other = f"line {line}: {type(error).__name__}: {str(error)[:200]}"
    finally:
        sys.path[:], sys.argv = path, arguments
        os.environ.clear()
        os.environ.update(environment)
        for name in set(sys.modules) - known:
            if str(directory) in str(getattr(sys.modules[name], "__file__", "")):
                del sys.modules[name]
    return ran


def _as_it_was() -> None:
    """Undo what a program may have set for the whole process."""
    import torch  # noqa: PLC0415 - only runs need it

    torch.set_default_device(None)
    torch.set_default_tensor_type(torch.FloatTensor)
    torch.cuda.set_device(0)


def _line_of(error: BaseException, program: str) -> int:
    found = 0
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == program:
            found = trace.tb_lineno
        trace = trace.tb_next
    return found


def _shown(value: Any) -> str:
    import torch  # noqa: PLC0415 - only runs need it

    if isinstance(value, torch.nn.Module):
        devices = {str(each.device) for each in (*value.parameters(), *value.buffers())}
        return devices.pop() if len(devices) == 1 else "unknown" if devices else "nowhere"
    if isinstance(value, torch.Tensor | torch.Generator):
        return str(value.device)
    return str(value)
