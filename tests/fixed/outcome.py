"""What comes of running a program: its result to the bit, or its error."""

from __future__ import annotations

import io
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

import devlint
from tests.fixed.programs import Use

SEED = 11


@dataclass(frozen=True)
class Outcome:
    """The result of a program in a form that can be compared, or the error that it raised."""

    result: object = None
    printed: str = ""
    error: str = ""


@dataclass(frozen=True)
class Comparison:
    """One use of a program before and after its fixes, on the CPU and on a simulated GPU."""

    use: Use
    on_cpu: tuple[Outcome, Outcome]
    on_cuda: tuple[Outcome, Outcome]

    @property
    def problems(self) -> Iterator[str]:
        """What a fix has changed that it must not, or has not mended."""
        before, after = self.on_cpu
        if before != after and not self.use.on_cpu:
            yield f"the CPU gives another result: {before} became {after}"
        before, after = self.on_cuda
        if bool(before.error) is not self.use.mends:
            yield f"on CUDA, the program with the bug gives {before}"
        if after.error:
            yield f"on CUDA, the fixed program raises: {after.error}"


def compare(use: Use) -> Comparison:
    """Run a program with its bug and without, under one seed."""
    texts = (use.before, use.after)
    on_cpu = [_run(text, use.run, "cpu") for text in texts]
    on_cuda = [_run(text, use.run, "cuda") for text in texts]
    return Comparison(use, (on_cpu[0], on_cpu[1]), (on_cuda[0], on_cuda[1]))


def _run(text: str, use: str, device: str) -> Outcome:
    printed = io.StringIO()
    with _namespace(device) as names, redirect_stdout(printed):
        try:
            exec(compile(text, "program.py", "exec"), names)
            exec(compile(use, "use.py", "exec"), names)
        except Exception as error:
            return Outcome(error=f"{type(error).__name__}: {str(error).splitlines()[0]}")
        return Outcome(_comparable(names.get("result")), printed.getvalue())


@contextmanager
def _namespace(device: str) -> Iterator[dict[str, Any]]:
    """The names that a use finds besides the program's own. With CUDA, it is simulated."""
    simulated = devlint.simulate("cuda") if device == "cuda" else nullcontext()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(), simulated:
        warnings.simplefilter("ignore")
        torch.manual_seed(SEED)
        yield {"__name__": "program", "torch": torch, "device": torch.device(device), "folder": Path(folder)}


def _comparable(value: object) -> object:
    """A value of which equality means that all bits are the same."""
    match value:
        case torch.Tensor():
            return (str(value.dtype), value.device.type, _comparable(value.detach().cpu().numpy()))
        case np.ndarray():
            return (str(value.dtype), value.shape, value.tobytes())
        case Mapping():
            return {key: _comparable(held) for key, held in value.items()}
        case list() | tuple():
            return [_comparable(held) for held in value]
        case _:
            return value
