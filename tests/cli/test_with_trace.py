"""`devlint check --with-trace`: findings held against a run of the program."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from textwrap import dedent

import pytest

from devlint.cli import main
from devlint.runtime.trace import read_trace
from tests.cli.programs import ENVIRONMENT, devlint

PROGRAM = dedent("""\
    import os
    import sys
    import torch

    device = os.environ.get("DEVICE", "cuda")


    def train(model, data, optimizer):
        total = 0.0
        for x in data:
            loss = model(x.to(device)).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
            mask = torch.ones(4).to("cuda")
            if "x" in sys.argv:
                total += (mask * 2).max().item()
        return total


    model = torch.nn.Linear(4, 4).to(device)
    data = [torch.rand(2, 4) for _ in range(30)]
    train(model, data, torch.optim.SGD(model.parameters(), lr=0.1))
""")
READ, MADE, UNREACHED = 15, 16, 18


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "devlint.toml").write_text("")
    (tmp_path / "train.py").write_text(PROGRAM)
    return tmp_path


def traced(*options: str, **environment: str) -> None:
    """Write the trace of a run of the program. Where it is the usual one, one run serves all tests."""
    here = Path.cwd()
    own = Path("train.py").read_text() != PROGRAM
    text = _trace(options, tuple(environment.items()), str(here) if own else "")
    Path("t.jsonl").write_text(text.replace(_HERE, str(here)))


_HERE = "<here>"


@cache
def _trace(options: tuple[str, ...], environment: tuple[tuple[str, str], ...], own: str) -> str:
    """A trace, with a stand-in for the directory; that of the program of `own`, where that has one."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(own or folder).resolve()
        (work / "train.py").write_text(Path(own, "train.py").read_text() if own else PROGRAM)
        words = ("run", "-q", "--simulate", "cuda", "--trace", "t.jsonl", *options, "train.py")
        done = devlint(work, *words, environment={**ENVIRONMENT, **dict(environment)})
        assert done.code == 0, done.err
        return (work / "t.jsonl").read_text().replace(str(work), _HERE)


def checked(capsys: pytest.CaptureFixture[str], *options: str) -> list[tuple[int, str, str | None]]:
    """Line, confidence and what the run says, in the order of the report."""
    main(["check", "--output-format", "json", "--with-trace", "t.jsonl", *options, "train.py"])
    found = json.loads(capsys.readouterr().out)
    return [(each["location"]["row"], each["confidence"], each["in_run"]) for each in found]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 tells no two calls of a line apart")
def test_what_was_seen_comes_first_and_costs_something(capsys: pytest.CaptureFixture[str]) -> None:
    traced("--trace-lines")
    assert checked(capsys) == [
        (MADE, "seen", "seen"),
        (READ, "seen", "seen"),
        (UNREACHED, "certain", "not_reached"),
    ]
    assert main(["check", "--output-format", "concise", "--with-trace", "t.jsonl", "train.py"]) == 1
    out = capsys.readouterr().out
    assert "(seen in the run) (30 times, 480 bytes)" in out
    assert "(not reached in the run)" in out
    assert "In the run of t.jsonl: 2 seen, 0 contradicted, 1 not reached." in out


def test_what_was_run_and_did_nothing_is_contradicted_and_comes_last(
    capsys: pytest.CaptureFixture[str],
) -> None:
    traced("--trace-lines", DEVICE="cpu")
    found = checked(capsys)
    assert found[0] == (MADE, "seen", "seen")
    assert found[-1][0] == READ
    assert found[-1][2] == "contradicted"


def test_a_finding_that_was_seen_is_shown_however_unsure_the_text_was(
    work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (work / "train.py").write_text(
        dedent("""\
            import torch

            def mix(values):
                return values + torch.ones(3)

            if __name__ == "__main__":
                eval("".join(reversed("xim")))(torch.rand(3, device="cuda"))
        """)
    )
    traced("--trace-lines", "--mismatch", "log")
    assert main(["check", "train.py", "-q"]) == 0
    capsys.readouterr()
    assert main(["check", "train.py", "-q", "--confidence", "possible"]) == 1
    capsys.readouterr()
    assert (4, "seen", "seen") in checked(capsys)


def test_without_lines_nothing_is_contradicted(capsys: pytest.CaptureFixture[str]) -> None:
    traced("--trace-lines")
    lines = Path("t.jsonl").read_text().splitlines(keepends=True)
    Path("t.jsonl").write_text("".join(line for line in lines if '"ran"' not in line))
    assert [each[2] for each in checked(capsys)] == ["seen", "seen", None]
    main(["check", "--with-trace", "t.jsonl", "train.py"])
    assert "T.jsonl does not contain executed lines" in capsys.readouterr().out


def test_a_run_without_devices_contradicts_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    traced("--trace-lines")
    lines = Path("t.jsonl").read_text().splitlines(keepends=True)
    Path("t.jsonl").write_text("".join(line for line in lines if '"event"' not in line))
    assert {each[2] for each in checked(capsys)} == {None, "not_reached"}
    main(["check", "--with-trace", "t.jsonl", "train.py"])
    assert "used no device" in capsys.readouterr().out


def test_a_file_that_has_changed_is_not_judged(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    traced("--trace-lines")
    (work / "train.py").write_text(f"# one line more\n{PROGRAM}")
    assert {each[2] for each in checked(capsys)} == {None}
    main(["check", "--with-trace", "t.jsonl", "train.py"])
    assert "Train.py has changed since the run, so its findings were not compared." in capsys.readouterr().out


def test_a_trace_that_is_cut_off_says_what_it_can(capsys: pytest.CaptureFixture[str]) -> None:
    traced("--trace-lines")
    whole = Path("t.jsonl").read_bytes()
    Path("t.jsonl").write_bytes(whole[: len(whole) * 2 // 3])
    assert (READ, "seen", "seen") in checked(capsys)


@pytest.mark.parametrize("lines", ["[[3,1]]", "[[0,1]]", "[[1]]", '[["a","b"]]', "{}", "[[1,99999999999]]"])
def test_a_damaged_line_is_left_out(lines: str) -> None:
    traced("--trace-lines")
    with Path("t.jsonl").open("a") as file:
        file.write(f'{{"ran":"/a.py","lines":{lines},"digest":""}}\n')
    trace = read_trace(Path("t.jsonl"))
    assert "/a.py" not in trace.ran
    assert any("damaged" in remark for remark in trace.remarks)
    assert READ in trace.ran[str(Path("train.py").absolute())].lines


def test_a_trace_that_is_none_is_one_clear_line(capsys: pytest.CaptureFixture[str]) -> None:
    Path("t.jsonl").write_text("hello\n")
    assert main(["check", "--with-trace", "t.jsonl", "train.py"]) == 2
    assert capsys.readouterr().err == "error: --with-trace: t.jsonl: is not a trace of devlint\n"


def test_the_check_needs_no_torch() -> None:
    traced("--trace-lines")
    program = (
        "import sys\nfrom devlint.cli import main\nmain(['check', '--with-trace', 't.jsonl', 'train.py'])\n"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False, capture_output=True).returncode == 0


def test_lines_are_asked_for_with_a_trace(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--trace-lines", "train.py"]) == 2
    assert "--trace-lines needs --trace" in capsys.readouterr().err


def test_lines_are_written_where_that_is_cheap() -> None:
    traced()
    assert bool(read_trace(Path("t.jsonl")).ran) == (sys.version_info >= (3, 12))
