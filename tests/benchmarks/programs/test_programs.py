"""Tests that the catalogue is consistent, that generated data are reproducible, and which runs are equal."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.programs import catalogue, table, trial
from tests.benchmarks.programs.catalogue import Catalogue, Program
from tests.benchmarks.programs.data import RECIPES
from tests.benchmarks.programs.fetch import DRIVERS, Store
from tests.benchmarks.programs.trial import EQUAL, Run, Trial, comparable


def program(**settings: Any) -> Program:
    """A program of which only these settings matter."""
    return Program(
        **{"name": "program", "source": "package", "command": ("script.py",), "exercises": "", **settings}
    )


def ended(*lines: str, exit_code: int | None = 0, errors: str = "") -> Run:
    """A run that printed these lines."""
    return Run(exit_code, list(lines), errors, 1.0)


@pytest.mark.parametrize("listed", catalogue.read().programs, ids=lambda listed: listed.name)
def test_every_program_can_be_fetched(listed: Program) -> None:
    pins = catalogue.read()
    assert listed.source in (pins.packages if listed.is_driver else pins.repositories)
    assert not listed.is_driver or (DRIVERS / listed.command[0]).is_file()
    assert {recipe.partition("/")[0] for recipe in listed.data.values()} <= RECIPES.keys()
    for pattern in listed.drops:
        re.compile(pattern)


def test_names_and_pins_are_exact() -> None:
    pins = catalogue.read()
    assert len({listed.name for listed in pins.programs}) == len(pins.programs)
    assert all(re.fullmatch(r"[0-9a-f]{40}", commit) for commit in pins.repositories.values())
    assert {listed.source for listed in pins.programs} >= pins.repositories.keys()


def test_a_program_that_is_not_listed_is_refused() -> None:
    with pytest.raises(LookupError, match="no such program: nothing"):
        catalogue.read().choose(["mnist", "nothing"])


@pytest.mark.parametrize("name", RECIPES)
def test_data_are_the_same_at_each_making(name: str, tmp_path: Path) -> None:
    made = []
    for home in (tmp_path / "first", tmp_path / "second"):
        RECIPES[name](home)
        made.append({path.relative_to(home): path.read_bytes() for path in home.rglob("*") if path.is_file()})
    assert made[0]
    assert made[0] == made[1]


def test_what_may_differ_is_dropped() -> None:
    printed = "loss 0.5, time 1.25 s\n\nUsing device: cuda\nloss 0.4, time 1.5 s\n"
    assert comparable(printed, ["time [0-9.]+ s", "Using device: .*"]) == ["loss 0.5,", "loss 0.4,"]


@pytest.mark.parametrize(
    ("cpu", "simulated", "outcome"),
    [
        (ended("loss 1"), ended("loss 1", errors="In all: 3 waits.\n"), EQUAL),
        (ended("loss 1"), ended("loss 1", errors="Nothing was found.\n"), "nothing was on a device"),
        (
            ended("loss 1"),
            ended("loss 1", errors="devlint failed: x\nIn all: 3 waits.\n"),
            "devlint failed: x",
        ),
        (ended("loss 1", "loss 2"), ended("loss 1", "loss 3"), "'loss 2' on the CPU, 'loss 3' simulated"),
        (ended("loss 1"), ended(), "'loss 1' on the CPU, '(nothing)' simulated"),
        (
            ended("loss 1"),
            ended("loss 1", exit_code=1, errors="Traceback\nKeyError: 'x'\n"),
            "fails: KeyError: 'x'",
        ),
        (ended("loss 1"), ended(exit_code=None), "fails: given up after 900 s"),
        (ended(exit_code=2, errors="no data"), ended("loss 1"), "fails on the CPU: exit code 2"),
        (ended(), ended(), "prints nothing"),
    ],
)
def test_outcomes(cpu: Run, simulated: Run, outcome: str) -> None:
    assert Trial(program(), cpu, simulated).outcome == outcome


def test_findings_are_counted_by_the_summary() -> None:
    summary = "train.py:3:5: DL201 item\n   = observed: 3 times\n\nFound 12 findings.\nIn all: 3 waits.\n"
    assert Trial(program(), ended(), ended(errors=summary)).findings == 12
    assert Trial(program(), ended(), ended(errors="Nothing was found.\n")).findings == 0


def test_the_page_says_where_a_program_comes_from() -> None:
    pins = catalogue.read()
    mnist, bert = pins.choose(["mnist", "transformers_bert"])
    run = ended("loss 1", errors="Found 3 findings.\nIn all: 2 waits.\n")
    lines = [table.markdown_line(Trial(chosen, run, run), pins) for chosen in (mnist, bert)]
    commit = pins.repositories["pytorch/examples"]
    assert f"[pytorch/examples](https://github.com/pytorch/examples/blob/{commit}/mnist/main.py)" in lines[0]
    assert "[driver](../tests/benchmarks/programs/drivers/transformers_training.py)" in lines[1]
    assert all(line.endswith("| 1.00 | 3 | equal |") for line in lines)
    assert all(line.count(" | ") == table.MARKDOWN_HEADING.splitlines()[0].count(" | ") for line in lines)


def test_every_run_starts_afresh_with_its_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "drivers").mkdir()
    (tmp_path / "drivers" / "script.py").write_text(
        "import pathlib, random, sys\n"
        "print(sorted(path.name for path in pathlib.Path('.').iterdir()), sys.argv[1:], random.random())\n"
        "pathlib.Path('left behind').touch()\n"
    )
    monkeypatch.setattr(trial, "DRIVERS", tmp_path / "drivers")
    monkeypatch.setattr(Store, "python", Path(sys.executable))
    store = Store(tmp_path, Catalogue({}, {}, ()))
    reader = program(
        command=("script.py", "--both"), cpu=("--no-cuda",), data={"data/names.txt": "words/names.txt"}
    )
    first, second = (trial.run_on_cpu(reader, store) for _ in range(2))
    assert first.failure == ""
    assert first.lines == second.lines
    assert first.lines[0].startswith("['data'] ['--both', '--no-cuda'] 0.")


def test_a_program_is_stopped_after_so_many_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "script.py").write_text(
        "import torch\n"
        "optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)])\n"
        "for step in range(9):\n"
        "    print(step)\n"
        "    optimizer.step()\n"
    )
    monkeypatch.setattr(trial, "DRIVERS", tmp_path)
    monkeypatch.setattr(Store, "python", Path(sys.executable))
    run = trial.run_on_cpu(program(steps=3), Store(tmp_path, Catalogue({}, {}, ())))
    assert (run.exit_code, run.lines) == (0, ["0", "1", "2"])


def test_a_program_takes_the_path_of_cuda_on_the_cpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "script.py").write_text(
        "import torch\n"
        "print(torch.accelerator.current_accelerator(), torch.ones(1).cuda().device)\n"
        "print(next(torch.nn.Linear(1, 1).cuda().parameters()).device)\n"
        "print(len(list(torch.utils.data.DataLoader(range(3), pin_memory=True))))\n"
    )
    monkeypatch.setattr(trial, "DRIVERS", tmp_path)
    monkeypatch.setattr(Store, "python", Path(sys.executable))
    run = trial.run_on_cpu(program(cpu_takes_cuda_path=True), Store(tmp_path, Catalogue({}, {}, ())))
    assert run.lines == ["cpu cpu", "cpu", "3"]
