"""`--report`: a run, or saved traces, as a page and as a trace for viewers."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from devlint.cli import main
from tests.cli.programs import ENVIRONMENT, Done, devlint, observed
from tests.report.test_page import Elements

PROGRAM = """\
import sys
import torch

weight = torch.nn.Parameter(torch.ones(4).to("cuda"))
optimizer = torch.optim.SGD([weight], lr=0.1)
for step in range(int(sys.argv[1])):
    loss = (weight * 2).sum()
    loss.backward()
    optimizer.step()
    print(loss.item())
torch.cuda.synchronize()
"""


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the program has run, with a trace, a page and a trace for viewers of it."""
    where = tmp_path_factory.mktemp("work")
    (where / "devlint.toml").write_text("")
    (where / "train.py").write_text(PROGRAM)
    done = run(where, "--trace", "run.jsonl", "--report", "run.html", "--report", "run.json")
    assert done.code == 0, done.err
    return where


def run(where: Path, *options: str, steps: int = 12) -> Done:
    return observed(where, "--simulate", "cuda", "-q", *options, "train.py", str(steps))


def drawn(page: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Elements(page.read_text("utf-8")).scripts[0])
    return found


def test_a_run_is_drawn(work: Path) -> None:
    page = drawn(work / "run.html")
    assert not page["timed"]
    assert page["lanes"] == ["cuda:0"]
    acts = {(act["operator"], page["kinds"][act["kind"]]): act for act in page["acts"]}
    assert acts["torch.Tensor.item", "wait"]["count"] == 12
    assert acts["torch.Tensor.item", "wait"]["codes"] == ["DL201"]
    assert acts["torch.Tensor.to", "copy to a device"]["bytes"] == 16
    assert acts["torch.cuda.synchronize", "wait"]["count"] == 1
    assert len(page["moments"]["act"]) == sum(act["count"] for act in page["acts"])
    assert page["moments"]["step"][-1] == 12
    assert [file["path"] for file in page["files"]] == ["train.py"]
    assert page["files"][0]["lines"][:2] == ["import sys", "import torch"]


def test_a_trace_is_drawn_as_its_run_was(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(work)
    assert main(["report", "run.jsonl", "-q", "--report", "again.html", "--report", "again.json"]) == 1
    first, again = drawn(work / "run.html"), drawn(work / "again.html")
    for page in (first, again):
        del page["moments"]["start"]  # seconds since the observer was there, asked for twice
        assert all(file.pop("unrun") == [] for file in page["files"]), "every line was run"
    assert again == first
    events = [json.loads((work / name).read_text())["traceEvents"] for name in ("run.json", "again.json")]
    assert len(events[0]) == len(events[1])


def test_the_steps_of_a_sampled_run_are_said(work: Path) -> None:
    done = run(work, "--every", "20", "--report", "sampled.html", steps=400)
    assert done.code == 0, done.err
    text = re.sub(r"<[^>]+>", "", (work / "sampled.html").read_text("utf-8"))
    watched = re.search(r"(\d+) of 400 steps were observed", text)
    told = re.search(
        r"the timeline shows (\d+) of (\d+) waits and copies: the others were only counted", text
    )
    assert watched is not None
    assert told is not None
    page = drawn(work / "sampled.html")
    assert int(told[1]) == len(page["moments"]["act"]) < int(told[2])
    (read,) = [act for act in page["acts"] if act["operator"] == "torch.Tensor.item"]
    assert read["count"] == 400
    seen = [act for act in page["moments"]["act"] if page["acts"][act] is read]
    assert 0 <= int(watched[1]) - len(seen) <= 1, "it reads behind the optimizer's step, which ends a step"


def test_each_rank_draws_a_file_of_its_own_whatever_the_program_does_to_its_environment(work: Path) -> None:
    (work / "ranked.py").write_text(f"import os\nos.environ['RANK'] = '0'\n{PROGRAM}")
    words = ("run", "--simulate", "cuda", "-q", "--report", "mine.html", "ranked.py", "2")
    environment = {**ENVIRONMENT, "RANK": "1", "WORLD_SIZE": "2"}
    done = devlint(work, *words, environment=environment)
    assert done.code == 0, done.err
    assert [path.name for path in work.glob("mine*")] == ["mine.1.html"]
    assert "<h1>ranked.py, rank 1 of 2</h1>" in (work / "mine.1.html").read_text("utf-8")


def test_lines_that_were_not_run_are_known(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (work / "branch.py").write_text(PROGRAM + "if step > 100:\n    print('never')\n")
    options = ("--trace", "branch.jsonl", "--trace-lines", "--report", "live.html")
    done = observed(work, "--simulate", "cuda", "-q", *options, "branch.py", "3")
    assert done.code == 0, done.err
    monkeypatch.chdir(work)
    main(["report", "branch.jsonl", "--report", "saved.html"])
    for page in ("live.html", "saved.html"):
        (file,) = drawn(work / page)["files"]
        assert [file["lines"][line - 1].strip() for line in file["unrun"]] == ["print('never')"]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("report.pdf", "report.pdf: does not end in .html or .json"),
        ("nowhere/report.html", "nowhere/report.html: the directory does not exist"),
    ],
)
def test_what_cannot_be_written_is_refused_before_the_program_runs(work: Path, name: str, why: str) -> None:
    done = run(work, "--report", name)
    assert (done.code, done.out) == (2, "")
    assert done.err.strip() == f"error: --report: {why}"


def test_a_page_needs_a_library_and_says_so(
    work: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    there = importlib.util.find_spec
    monkeypatch.setattr(
        "devlint.cli.run_reports.find_spec", lambda name: None if name == "jinja2" else there(name)
    )
    monkeypatch.chdir(work)
    assert main(["report", "run.jsonl", "--report", "page.html"]) == 2
    assert "python -m pip install 'devlint[report]'" in capsys.readouterr().err
    assert main(["report", "run.jsonl", "--report", "page.json"]) == 1


def test_a_run_without_a_device_has_a_page(work: Path) -> None:
    (work / "idle.py").write_text("import torch\nprint(torch.ones(3).sum())\n")
    done = observed(work, "--report", "idle.html", "--report", "idle.json", "idle.py")
    assert done.code == 0, done.err
    assert drawn(work / "idle.html")["acts"] == []
    assert json.loads((work / "idle.json").read_text())["traceEvents"] == []


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 knows lines only, and no operands' texts")
def test_two_runs_are_compared(
    work: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(work, "--trace", "longer.jsonl", steps=15).code == 0
    monkeypatch.chdir(work)
    assert main(["report", "--compare", "run.jsonl", "longer.jsonl"]) == 1
    text = capsys.readouterr().out
    assert "more often train.py:10:11 DL201 reading `loss` makes the host wait" in text
    assert "12 times → 15 times" in text
    assert "the runs took 12 optimizer steps and 15 optimizer steps" in text
    assert main(["report", "--compare", "longer.jsonl", "run.jsonl", "--report", "compared.html"]) == 0
    assert "less often" in (work / "compared.html").read_text("utf-8")
    capsys.readouterr()
    assert main(["report", "--compare", "run.jsonl", "run.jsonl", "--output-format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {change["verdict"] for change in found["findings"]} == {"as often"}


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["run.jsonl"], "needs two traces"),
        (["run.jsonl", "run.jsonl", "--output-format", "sarif"], "the formats are full, concise, json"),
        (["run.jsonl", "run.jsonl", "--report", "trace.json"], "does not end in .html"),
        (["run.jsonl", "empty"], "empty: contains no trace"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    work: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    why: str,
) -> None:
    monkeypatch.chdir(work)
    (work / "empty").mkdir(exist_ok=True)
    assert main(["report", "--compare", *arguments]) == 2
    assert why in capsys.readouterr().err


def test_a_folder_stands_for_the_traces_of_all_ranks(
    work: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    header, *lines = (work / "run.jsonl").read_text().splitlines()
    (work / "ranks").mkdir()
    for rank in range(2):
        first = json.dumps({**json.loads(header), "rank": rank, "ranks": 2})
        (work / "ranks" / f"rank-{rank}.jsonl").write_text("\n".join([first, *lines]) + "\n")
    monkeypatch.chdir(work)
    assert main(["report", "ranks", "--report", "ranks.html", "--output-format", "concise"]) == 1
    assert "24 times; 12 times on each of 2 ranks" in capsys.readouterr().out
    page = drawn(work / "ranks.html")
    assert page["lanes"] == ["rank 0, cuda:0", "rank 1, cuda:0"]
    assert len(page["moments"]["act"]) == sum(act["count"] for act in page["acts"])
    assert main(["report", "--compare", "ranks", "ranks"]) == 0
