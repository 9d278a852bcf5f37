"""`devlint run` under torchrun: a trace for each rank, and one report of all."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import jsonschema
import pytest

from devlint.cli import main
from tests.cli.programs import DEVLINT, ROOT, Done, ended, start

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


def launched(where: Path, ranks: int, *arguments: str) -> Done:
    """The program as so many ranks, each with a simulated device of its own; traces go to `traces`."""
    (where / "train.py").write_text(PROGRAM)
    (where / "traces").mkdir()
    devices = ("--simulate", "cuda", "--devices", str(ranks), "--trace", "traces")
    count = ("--rdzv-endpoint", "localhost:0", "--nproc-per-node", str(ranks))
    return ended(start(where, *LAUNCHER, *count, *DEVLINT, *devices, "train.py", *arguments))


def reported(
    where: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *options: str
) -> str:
    monkeypatch.chdir(where)
    traces = sorted(str(path) for path in (where / "traces").iterdir())
    assert main(["report", *traces, *options]) == 1
    return capsys.readouterr().out


def test_ranks_are_reported_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done = launched(tmp_path, 2)
    assert done.code == 0, done.err
    assert {"Of rank 0 of 2:", "Of rank 1 of 2:"} <= set(done.err.splitlines())
    assert sorted(path.name for path in (tmp_path / "traces").iterdir()) == ["rank-0.jsonl", "rank-1.jsonl"]
    said = reported(tmp_path, monkeypatch, capsys, "--output-format", "concise")
    copied, read, *closing = said.splitlines()
    assert copied.startswith("train.py:18:16: DL205")
    assert copied.endswith("host wait for cuda, in the training loop (80 times; 40 times on each of 2 ranks)")
    assert read.startswith("train.py:22:9: DL201")
    assert read.endswith("(40 times; rank 0: 40 times; rank 1: never)")
    assert "In all: 120 waits, 80 copies to the host (1.3 kB)." in closing
    assert "note: ranks differ in what they did at 1 place" in closing
    assert "has no end" not in said
    records = json.loads(reported(tmp_path, monkeypatch, capsys, "--output-format", "json"))
    jsonschema.validate(records, SCHEMA)
    assert [rank["count"] for rank in records[1]["observed"]["ranks"]] == [40, 0]


def test_a_rank_that_is_killed_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done = launched(tmp_path, 4, "dies")
    assert done.code != 0
    said = reported(tmp_path, monkeypatch, capsys, "--output-format", "concise")
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
