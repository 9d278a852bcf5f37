"""`devlint run` under torchrun: a trace for each rank, and one report of all."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from time import sleep

import jsonschema
import pytest

from devlint.cli import main
from tests import forks
from tests.cli.programs import DEVLINT, ENVIRONMENT, ROOT, Done, ended, start

SCHEMA = json.loads((ROOT / "docs" / "schema" / "findings.json").read_text())
LAUNCHER = (sys.executable, "-m", "torch.distributed.run", "--no-python", "--rdzv-backend", "c10d")
PROGRAM = """\
import os
import signal
import sys

import torch
import torch.distributed as dist

rank = int(os.environ["RANK"])
dist.init_process_group("gloo")
torch.cuda.set_device(rank)
weight = torch.nn.Parameter(torch.ones(4, device=f"cuda:{rank}"))
optimizer = torch.optim.SGD([weight], lr=0.1)
for step in range(40):
    if "dies" in sys.argv and rank == 1 and step == 12:
        os.kill(os.getpid(), signal.SIGKILL)
    loss = (weight * 2).sum()
    loss.backward()
    gradient = weight.grad.cpu()
    dist.all_reduce(gradient)
    optimizer.step()
    if rank == 0:
        loss.item()
dist.destroy_process_group()
"""


def launched(where: Path, ranks: int, *arguments: str, options: tuple[str, ...] = ()) -> Done:
    """The program as so many ranks, each with a simulated device of its own; traces go to `traces`."""
    (where / "train.py").write_text(PROGRAM)
    (where / "traces").mkdir()
    devices = ("--simulate", "cuda", "--devices", str(ranks), "--trace", "traces")
    count = ("--rdzv-endpoint", "localhost:0", "--nproc-per-node", str(ranks))
    return ended(start(where, *LAUNCHER, *count, *DEVLINT, *devices, *options, "train.py", *arguments))


def begun(where: Path, rank: int, program: str, ranks: int = 2) -> Callable[[], str]:
    """One rank by itself, as a launcher that is slow to start others begins it. What it returns waits for its
    end, and gives what it wrote to standard error."""
    (where / "traces").mkdir(exist_ok=True)
    (where / f"{rank}.py").write_text(program)
    environment = {**ENVIRONMENT, "RANK": str(rank), "WORLD_SIZE": str(ranks)}
    process = forks.start(("devlint", "run", "--trace", "traces", f"{rank}.py"), where, environment)
    return lambda: forks.wait(process).err


def reported(
    where: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *options: str
) -> str:
    monkeypatch.chdir(where)
    traces = sorted(str(path) for path in (where / "traces").iterdir())
    assert main(["report", *traces, *options]) == 1
    return capsys.readouterr().out


@pytest.fixture(scope="module")
def launch(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    """The directory of a launch of two ranks that succeeds, and what it wrote."""
    where = tmp_path_factory.mktemp("launch")
    done = launched(where, 2, options=("--output-format", "concise", "--report", "report.json"))
    assert done.code == 0, done.err
    return where, done


def test_ranks_are_reported_together(
    launch: tuple[Path, Done], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    where, _ = launch
    assert sorted(path.name for path in (where / "traces").iterdir()) == ["rank-0.jsonl", "rank-1.jsonl"]
    said = reported(where, monkeypatch, capsys, "--output-format", "concise")
    copied, read, *closing = said.splitlines()
    column = 16 if sys.version_info >= (3, 11) else 5  # Python 3.10 knows lines only
    assert copied.startswith(f"train.py:18:{column}: DL205")
    assert copied.endswith("host wait for cuda, in the training loop (80 times; 40 times on each of 2 ranks)")
    assert read.startswith("train.py:22:9: DL201")
    assert read.endswith("(40 times; rank 0: 40 times; rank 1: never)")
    assert "In all: 120 waits, 80 copies to the host (1.3 kB)." in closing
    assert "note: ranks differ in what they did at 1 place" in closing
    assert "has no end" not in said
    records = json.loads(reported(where, monkeypatch, capsys, "--output-format", "json"))
    jsonschema.validate(records, SCHEMA)
    assert [rank["count"] for rank in records[1]["observed"]["ranks"]] == [40, 0]


def test_a_launch_is_reported_once_at_its_end(
    launch: tuple[Path, Done], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    where, done = launch
    said = reported(where, monkeypatch, capsys, "--output-format", "concise")
    assert done.err.count("Found 2 findings.") == done.err.count(said) == 1
    assert done.err.endswith(said)
    drawn = json.loads((where / "report.json").read_text())["traceEvents"]
    assert {event["args"]["name"] for event in drawn if event["name"] == "process_name"} == {
        "devlint, rank 0",
        "devlint, rank 1",
    }


def test_each_rank_fails_on_its_own_findings(tmp_path: Path) -> None:
    done = launched(tmp_path, 2, options=("--fail-on", "DL205"))
    assert done.code == 1
    assert done.err.count("Found 2 findings.") == 1


def test_ranks_that_begin_late_are_waited_for(tmp_path: Path) -> None:
    first = begun(tmp_path, 0, "import torch\n")
    sleep(2)
    late = begun(tmp_path, 1, "import torch\nimport time\ntime.sleep(4)\n")
    assert late() == ""
    said = first()
    assert said.count("Nothing was found.") == 1
    assert "there is no trace" not in said


def test_a_rank_that_never_begins_is_not_waited_for_long(tmp_path: Path) -> None:
    said = begun(tmp_path, 0, "import torch\n")()
    assert "note: there is no trace of rank 1 of 2" in said
    assert not list((tmp_path / "traces").glob("*.launch"))


def test_what_an_earlier_launch_has_left_is_not_reported(tmp_path: Path) -> None:
    (tmp_path / "traces").mkdir()
    (tmp_path / "traces" / "rank-1.jsonl").write_text("left over\n")
    (tmp_path / "traces" / "rank-7.jsonl").write_text("left over\n")
    both = [begun(tmp_path, rank, "import torch\n") for rank in (0, 1)]
    said = "".join(err() for err in both)
    assert said.count("Nothing was found.") == 1
    assert "left over" not in said
    assert "rank" not in said


def test_a_rank_that_is_killed_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done = launched(tmp_path, 4, "dies", options=("--output-format", "concise"))
    assert done.code != 0
    assert done.err.count("Found 2 findings.") == 1
    said = reported(tmp_path, monkeypatch, capsys, "--output-format", "concise")
    assert said in done.err  # before or after what the launcher itself says of the failure
    assert re.search(
        r"note: rank 1 was killed or is still running: its trace stops after 11 of 1[12] optimizer steps",
        said,
    )
    assert re.search(r"DL205 .* rank 1: 12 times", said)
    (tmp_path / "traces" / "rank-2.jsonl").unlink()
    said = reported(tmp_path, monkeypatch, capsys, "--output-format", "concise")
    assert "note: there is no trace of rank 2 of 4" in said


def test_traces_are_merged_by_rank(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    header = {"devlint": "0.1.0", "torch": None, "schema": 1}
    alone, first = tmp_path / "alone.jsonl", tmp_path / "first.jsonl"
    alone.write_text(json.dumps(header) + "\n")
    first.write_text(json.dumps(header | {"rank": 0, "ranks": 2}) + "\n")
    assert main(["report", str(alone), str(first)]) == 2
    assert "merged by their ranks" in capsys.readouterr().err
    assert main(["report", str(first), str(first)]) == 2
    assert "two of the traces are of rank 0" in capsys.readouterr().err
