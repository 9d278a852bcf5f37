"""A program is executed again with repaired factories, and leaves nothing of that behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.project.modules import Modules
from devlint.source.machine.interprocedural import programs
from devlint.source.module_graph import ModuleGraph
from devlint.source.observation import observe

_PROGRAM = """
import torch

x = torch.zeros(3)
y = torch.maximum(x, torch.ones(3))
print(x + torch.ones(3, device="cuda"))
"""


def test_each_program_of_a_machine_is_executed_as_it_is_written(tmp_path: Path) -> None:
    graph = ModuleGraph(Modules())
    path = tmp_path / "program.py"
    path.write_text(_PROGRAM, encoding="utf-8")
    first, second = (observe(_PROGRAM, str(path), place=graph.place(str(path))).events for _ in range(2))
    assert first == second
    assert graph.machine.repaired == {}


def test_a_failing_repaired_run_leaves_no_repairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("no further run")

    graph = ModuleGraph(Modules())
    path = tmp_path / "program.py"
    path.write_text(_PROGRAM, encoding="utf-8")
    before = observe(_PROGRAM, str(path), place=graph.place(str(path))).events
    with monkeypatch.context() as patched:
        patched.setattr(programs, "hidden", fail)
        with pytest.raises(RuntimeError):
            observe(_PROGRAM, str(path), place=graph.place(str(path)))
    assert observe(_PROGRAM, str(path), place=graph.place(str(path))).events == before
