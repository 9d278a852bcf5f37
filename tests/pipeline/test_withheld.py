"""What an observer withholds comes out with its place, its rule and its reason."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from devlint import source
from devlint.cli import main
from devlint.model import Silence, Silenced, Synchronization, Withheld
from devlint.pipeline.analysis.analysis import Rules
from devlint.pipeline.analysis.text import examine, find_all
from devlint.rules import registry

PROGRAM = """\
import torch

def train(model, loader, optimizer):
    model = model.cuda()
    for x, y in loader:
        loss = model(x.cuda()).sum()
        loss.backward()
        optimizer.step()
        print(loss.item())
"""


def test_an_event_that_was_withheld_is_no_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    actual = source.observe

    def withholding(*arguments: object, **options: object) -> object:
        seen = actual(*arguments, **options)  # type: ignore[arg-type]
        waits = [event for event in seen.events if isinstance(event, Synchronization)]
        return replace(
            seen,
            events=tuple(event for event in seen.events if event not in waits),
            silenced=tuple(Silenced(event, Silence.PERIODIC) for event in waits),
        )

    on = frozenset(registry.codes())
    said = [finding for finding in find_all(PROGRAM, "train.py", on) if finding.code == "DL201"]
    assert [finding.site.line for finding in said] == [9]
    monkeypatch.setattr(source, "observe", withholding)
    shown = examine(PROGRAM, "train.py", Rules(on), silenced=True)
    assert "DL201" not in {claim.finding.code for claim in shown.claims}
    assert ("", Withheld(said[0], Silence.PERIODIC)) in shown.withheld


TRAINING = """\
import torch

model = torch.nn.Linear(4, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for step in range(1000):
    loss = model(torch.randn(8, 4, device="cuda")).sum()
    loss.backward()
    optimizer.step()
{body}
"""
CALLER = """\
import torch

import program

if hasattr(program, "double"):
    program.double(torch.ones(3))
"""
SILENT = {
    Silence.PERIODIC: ("DL201", TRAINING.format(body="    if step % 100 == 0:\n        print(loss.item())")),
    Silence.RARE_BRANCH: (
        "DL201",
        TRAINING.format(body="    if step > 5:\n        raise ValueError(float(loss))"),
    ),
    Silence.WAITED_ALREADY: (
        "DL201",
        TRAINING.format(body="    first = loss.item()\n    again = loss.item()"),
    ),
    Silence.FLAG_OFF: (
        "DL201",
        "import argparse\n\nparser = argparse.ArgumentParser()\n"
        'parser.add_argument("--log", action="store_true")\nargs = parser.parse_args()\n'
        + TRAINING.format(body="    if args.log:\n        print(loss.item())"),
    ),
    Silence.ONCE: ("DL201", "import torch\n\nfor _ in range(3):\n    torch.ones(3).cuda().sum().item()\n"),
    Silence.DROPPED_MOVE: (
        "DL102",
        "import torch\n\nt = torch.ones(3)\nt.cuda()\nt + torch.ones(3, device='cuda')\n",
    ),
    Silence.EXPECTED_ERROR: (
        "DL102",
        "import pytest\nimport torch\n\nt = torch.ones(3, device='cuda')\n"
        "with pytest.raises(RuntimeError):\n    t + torch.ones(3)\n",
    ),
    Silence.HOST_DEVICE: (
        "DL107",
        "import torch\n\n\ndef array(device):\n    x = torch.ones(3, device=device)\n"
        "    return x.numpy() if device == 'cpu' else x.cpu().numpy()\n",
    ),
    Silence.HOST_BY_CONTRACT: (
        "DL102",
        "import torch\n\n\ndef double(x: torch.Tensor):\n    return x + torch.ones(3)\n",
    ),
}
"""A program for each silence, and the rule that does not speak in it."""


@pytest.mark.parametrize("silence", Silence, ids=lambda silence: silence.value)
def test_each_silence_is_named(silence: Silence, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, program = SILENT[silence]
    (tmp_path / "program.py").write_text(program, "utf-8")
    (tmp_path / "caller.py").write_text(CALLER, "utf-8")
    main(["check", "--no-cache", "--show-silenced", "--output-format", "concise", str(tmp_path)])
    printed = capsys.readouterr().out
    assert f"{code} withheld: {silence.value}: {silence.meaning}" in printed
