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

rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
dist.init_process_group("gloo", os.environ["STORE"], rank=rank, world_size=ranks)
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


def prepared(where: Path) -> tuple[str, ...]:
    """Write the program, which two ranks run, and give the options of each: it has a simulated device of its
    own, and its trace goes to `traces`."""
    (where / "train.py").write_text(PROGRAM)
    (where / "traces").mkdir()
    return ("--simulate", "cuda", "--devices", "2", "--trace", "traces")


def launched(where: Path, *arguments: str, options: tuple[str, ...] = ()) -> Done:
    """The program as two ranks of torchrun."""
    count = ("--rdzv-endpoint", "localhost:0", "--nproc-per-node", "2")
    devices = prepared(where)
    return ended(
        start(
            where,
            *LAUNCHER,
            *count,
            *DEVLINT,
            *devices,
            *options,
            "train.py",
            *arguments,
            environment={**ENVIRONMENT, "STORE": "env://"},
        )
    )


def forked(where: Path, *options: str) -> list[Done]:
    """How both ranks of the program end, which are started as a launcher starts them."""
    devices = prepared(where)
    store = {"STORE": f"file://{where / 'store'}"}
    ends = [rank_begun(where, rank, *devices, *options, "train.py", **store) for rank in (0, 1)]
    return [end() for end in ends]


def rank_begun(where: Path, rank: int, *arguments: str, **variables: str) -> Callable[[], Done]:
    """Begin `devlint run` as one of two ranks. What it returns waits for its end, and for the report."""
    environment = {**ENVIRONMENT, "RANK": str(rank), "WORLD_SIZE": "2", **variables}
    process = forks.start(("devlint", "run", *arguments), where, environment)
    return lambda: Done(*forks.wait(process, with_forks=True))


def begun(where: Path, rank: int, program: str) -> Callable[[], str]:
    """One rank by itself, as a launcher that is slow to start others begins it. What it returns waits for its
    end, and gives what it wrote to standard error."""
    (where / "traces").mkdir(exist_ok=True)
    (where / f"{rank}.py").write_text(program)
    end = rank_begun(where, rank, "--trace", "traces", f"{rank}.py")
    return lambda: end().err


def reported(
    where: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *options: str
) -> str:
    monkeypatch.chdir(where)
    traces = sorted(str(path) for path in (where / "traces").iterdir())
    assert main(["report", *traces, *options]) == 1
    return capsys.readouterr().out


@pytest.fixture(scope="module")
def launch(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The directory of a launch of two ranks that succeeds, and what each wrote to standard error."""
    where = tmp_path_factory.mktemp("launch")
    ranks = forked(where, "--output-format", "concise", "--report", "report.json")
    assert [each.code for each in ranks] == [0, 0], ranks
    return where, [each.err for each in ranks]


def test_ranks_are_reported_together(
    launch: tuple[Path, list[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
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
    launch: tuple[Path, list[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    where, written = launch
    said = reported(where, monkeypatch, capsys, "--output-format", "concise")
    (report,) = [err for err in written if "Found 2 findings." in err]
    assert report.count("Found 2 findings.") == report.count(said) == 1
    assert report.endswith(said)
    drawn = json.loads((where / "report.json").read_text())["traceEvents"]
    assert {event["args"]["name"] for event in drawn if event["name"] == "process_name"} == {
        "devlint, rank 0",
        "devlint, rank 1",
    }


def test_each_rank_fails_on_its_own_findings(tmp_path: Path) -> None:
    ranks = forked(tmp_path, "--fail-on", "DL205")
    assert [each.code for each in ranks] == [1, 1]
    assert "".join(each.err for each in ranks).count("Found 2 findings.") == 1


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
    done = launched(tmp_path, "dies", options=("--output-format", "concise"))
    assert done.code != 0
    assert done.err.count("Found 2 findings.") == 1
    said = reported(tmp_path, monkeypatch, capsys, "--output-format", "concise")
    assert said in done.err  # before or after what the launcher itself says of the failure
    assert re.search(
        r"note: rank 1 was killed or is still running: its trace stops after 11 of 1[12] optimizer steps",
        said,
    )
    assert re.search(r"DL205 .* rank 1: 12 times", said)
    (tmp_path / "traces" / "rank-0.jsonl").unlink()
    said = reported(tmp_path, monkeypatch, capsys, "--output-format", "concise")
    assert "note: there is no trace of rank 0 of 2" in said


def test_traces_are_merged_by_rank(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    header = {"devlint": "0.1.0", "torch": None, "schema": 1}
    alone, first = tmp_path / "alone.jsonl", tmp_path / "first.jsonl"
    alone.write_text(json.dumps(header) + "\n")
    first.write_text(json.dumps(header | {"rank": 0, "ranks": 2}) + "\n")
    assert main(["report", str(alone), str(first)]) == 2
    assert "merged by their ranks" in capsys.readouterr().err
    assert main(["report", str(first), str(first)]) == 2
    assert "two of the traces are of rank 0" in capsys.readouterr().err
