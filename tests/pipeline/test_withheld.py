"""What an observer withholds comes out with its place, its rule and its reason."""

from __future__ import annotations

from dataclasses import replace

import pytest

from devlint import source
from devlint.model import Silence, Silenced, Synchronization, Withheld
from devlint.pipeline.analysis import Rules
from devlint.pipeline.check import examine, find_all
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
