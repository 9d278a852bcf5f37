"""What torch says where operands clash, and what devlint makes of it."""

from __future__ import annotations

import io
import linecache
import re
import subprocess
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn import functional

import devlint
from devlint.errors import recognise
from devlint.runtime.explain import note
from devlint.runtime.session.observation import shared
from tests import errors
from tests.cuda.record.ground import Ground
from tests.cuda.record.part import SIMULATED, Fields, Observer, Part
from tests.rules.test_device_verdicts import PROLOGUE, ROWS

_TEXTS = Path(errors.__file__).parent / "cuda_texts.tsv"
_LATE = "import torch; x = torch.zeros(4, device='cuda'); x[torch.full((1,), 99, device='cuda')].tolist()"
"""Fails in a kernel, and leaves a process that can use its device no longer."""
_SECOND_DEVICE = "cuda:1"
_OUT_OF_REACH = re.compile(r", an operator of torch's database|torch\.cuda\.\w+=")
"""Statements that are told and not written, and those that change torch for all that come after."""


def statements() -> list[str]:
    """All statements that are known to raise on two devices, and those whose texts are known."""
    known = [row.split("\t")[5] for row in _TEXTS.read_text("utf-8").splitlines() if not row.startswith("#")]
    raising = [row[1] for row in ROWS if row[0] == "raises"]
    runnable = [statement for statement in known if not _OUT_OF_REACH.search(statement)]
    return list(dict.fromkeys([*raising, *runnable]))


def _said(statement: str, devices: AbstractContextManager[Any]) -> list[Fields]:
    """The error's type and text, what is recognised in it, and the beginning of devlint's note."""
    name = f"<{statement}>"
    linecache.cache[name] = (len(statement), None, [f"{statement}\n"], name)
    variables: dict[str, Any] = {"nn": nn, "F": functional, "io": io}
    with devices:
        exec(_prologue(), variables)
        try:
            with devlint.guard():
                exec(compile(statement, name, "exec"), variables)
        except Exception as error:  # what it raises is the answer
            return [(type(error).__name__, *_about(str(error)), _explanation(error).partition("\n")[0])]
    return [("nothing", "", "", "", "", "", "", "")]


def _explanation(error: Exception) -> str:
    """Devlint's note, or what `devlint run` adds where no call of torch has raised the error."""
    notes = getattr(error, "__notes__", [])
    return "\n".join(notes) or note(error, None, shared().sites) or ""


def _prologue() -> str:
    """The names that statements use; without the second device where there is none."""
    lines = PROLOGUE.splitlines()
    lines += ["p = nn.Parameter(torch.zeros(4, device='cuda'))", "lin = nn.Linear(4, 4).cuda()"]
    lines += ["im = torch.zeros(1, 1, 4, 4, device='cuda')"]
    if torch.cuda.device_count() < 2:
        lines = [line for line in lines if _SECOND_DEVICE not in line]
    return "\n".join(lines)


def _about(text: str) -> Fields:
    found = recognise(text)
    first = text.partition("\n")[0]
    if found is None:
        return first, "", "", "", "", ""
    return first, found.kind.value, found.device, found.other, found.kernel, found.argument


def _seen_on_cuda(statement: str) -> list[Fields]:
    if statement == _LATE:
        done = subprocess.run(
            [sys.executable, "-c", _LATE], capture_output=True, text=True, check=False, timeout=60
        )
        raised = [line for line in done.stderr.splitlines() if "CUDA error" in line]
        kind, _, text = (raised or ["nothing: "])[-1].partition(": ")
        return [(kind, *_about(text), "")]
    return _said(statement, nullcontext())


def _seen_on_simulated_devices(statement: str) -> list[Fields]:
    return _said(statement, devlint.simulate("cuda", devices=2))


def _subjects(observer: Observer, ground: Ground) -> Sequence[str]:  # noqa: ARG001 (as any part's)
    return statements() + ([_LATE] if ground is Ground.CUDA else [])


PART = Part(
    name="error_texts",
    shows="what torch says of each mismatch, and whether devlint recognises and explains it",
    columns=("error", "text", "kind", "device", "other", "kernel", "argument", "beginning of the note"),
    subjects=_subjects,
    observers=(
        Observer("torch", _seen_on_cuda),
        Observer("simulated", _seen_on_simulated_devices, SIMULATED, workers=4),
    ),
    seconds=40,
)
