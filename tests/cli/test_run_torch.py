"""`devlint run` on programs that use torch: what it reports, and that they cannot tell."""

from __future__ import annotations

import json
import re
import signal
import sys
import textwrap
from pathlib import Path

import jsonschema
import pytest

from devlint.cli import main
from devlint.runtime.trace import read_trace
from tests.cli.programs import DEVLINT, ROOT, devlint, ended, observed, python, start

SCHEMA = json.loads((ROOT / "docs" / "schema" / "findings.json").read_text())

needs_columns = pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 knows lines only")


def write(path: Path, text: str) -> None:
    path.write_text(textwrap.dedent(text))


TRAINING = """\
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"


    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(4, 4)
            self.mask = torch.ones(4)

        def forward(self, x):
            return self.linear(x)


    torch.manual_seed(0)
    net = Net().to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(20):
        x = torch.randn(3, 4).to(device)
        loss = net(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, loss.item())
"""
MISMATCH = "    print(net(x) + net.mask)\n"


def test_the_results_are_those_of_the_cpu(tmp_path: Path) -> None:
    write(tmp_path / "train.py", TRAINING)
    done = observed(tmp_path, "--simulate", "cuda", "-q", "--select", "DL4", "train.py")
    assert done == python(tmp_path, "train.py")
    assert done.code == 0
    assert done.out.startswith("0 ")


@needs_columns
def test_the_report_of_a_run_and_of_its_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "train.py", TRAINING + MISMATCH)
    done = observed(
        tmp_path,
        *("--simulate", "cuda", "--trace", "trace.jsonl", "-o", "report.json", "--output-format", "json"),
        "train.py",
    )
    assert done.code == 1
    assert "RuntimeError: Expected all tensors to be on the same device" in done.err
    assert "`net.mask` is on cpu" in done.err
    assert re.search(
        r"Found 3 findings\.\nIn all: \d+ waits, 22 copies to devices \(1\.0 kB\)\.\n",
        done.err,
    )
    assert "\nnote: a mismatch ended the program; with `--mismatch log` " in done.err
    records = json.loads((tmp_path / "report.json").read_text())
    jsonschema.validate(records, SCHEMA)
    assert {Path(record["filename"]).name for record in records} == {"train.py"}
    worst, upload, read = records
    assert (worst["code"], worst["location"]["row"]) == ("DL102", 10)
    assert worst["observed"] == {"count": 1, "seconds": None, "bytes": None, "estimated": False, "ranks": []}
    assert (upload["code"][:3], upload["location"]["row"]) == ("DL3", 20)
    assert upload["observed"] == {"count": 20, "seconds": None, "bytes": 960, "estimated": False, "ranks": []}
    assert (read["code"], read["location"]["row"]) == ("DL201", 25)
    assert read["observed"] == {"count": 20, "seconds": None, "bytes": None, "estimated": False, "ranks": []}
    assert main(["report", str(tmp_path / "trace.jsonl"), "--output-format", "json"]) == 1
    assert json.loads(capsys.readouterr().out) == records


ERRORS = """\
    import logging
    import threading
    import traceback

    import torch
    import torch.nn.functional as F


    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(4, 4)

        def forward(self, x):
            return self.linear(x)


    def mistakes():
        yield lambda: torch.ones(3) + torch.ones(4)
        yield lambda: torch.ones(3) @ torch.ones(4)
        yield lambda: F.linear(torch.ones(3), torch.ones(4, 4))
        yield lambda: F.softmax(torch.ones(3), dim=7)
        yield lambda: F.cross_entropy(torch.ones(3), torch.ones(3, 3), weight=torch.ones(7))
        yield lambda: Net()(torch.ones(5))
        yield lambda: torch.ones(3).backward()
        yield lambda: torch.ones(3).split("x")
        yield lambda: torch.ones(3).item()
        yield lambda: torch.ones(3).norm(p="none")
        yield lambda: torch.einsum("ij,jk", torch.ones(3), torch.ones(4))
        yield lambda: bool(torch.ones(3))
        yield lambda: torch.stack([torch.ones(3), torch.ones(4)])
        yield lambda: torch.ones(3)[torch.tensor([7])]


    for mistake in mistakes():
        try:
            mistake()
        except Exception:
            traceback.print_exc()
    try:
        F.linear(torch.ones(3), torch.ones(4, 4))
    except RuntimeError:
        logging.exception("logged")
    thread = threading.Thread(target=Net(), args=(torch.ones(5),))
    thread.start()
    thread.join()
    Net()(torch.ones(5))
"""


def test_tracebacks(tmp_path: Path) -> None:
    write(tmp_path / "wrong.py", ERRORS)
    done = ended(start(tmp_path, sys.executable, "wrong.py"))
    assert done.code == 1
    assert done.err.count("Traceback") == 17
    assert observed(tmp_path, "-q", "wrong.py") == done
    assert observed(tmp_path, "-q", "--simulate", "cuda", "wrong.py") == done


SURROUNDED = """\
    import os
    import sys

    os.environ["OMP_NUM_THREADS"] = "1"
    import torch
    from torch.utils.data import DataLoader, Dataset


    class Numbers(Dataset):
        def __len__(self):
            return 4

        def __getitem__(self, index):
            return torch.tensor(float(index))


    if __name__ == "__main__":
        print(torch.get_num_threads(), os.environ.get("CUDA_LAUNCH_BLOCKING"))
        loader = DataLoader(Numbers(), batch_size=2, num_workers=1, multiprocessing_context="spawn")
        print(sum(batch.sum().item() for batch in loader))
        os.chdir("/")
        sys.path.clear()
        sys.stderr = sys.stdout
        print(torch.ones(3).cuda().sum().item(), flush=True)
        if not os.fork():
            print(torch.ones(3).sum().item())
            sys.exit(5)
        os.wait()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_what_a_program_does_to_its_process(tmp_path: Path) -> None:
    write(tmp_path / "surrounded.py", SURROUNDED)
    done = ended(
        start(
            tmp_path,
            *DEVLINT,
            *("--simulate", "cuda", "--launch-blocking", "--trace", "trace.jsonl", "--fail-on", "DL2,DL3"),
            *("--output-format", "concise", "surrounded.py"),
        )
    )
    assert done.out == "1 1\n6.0\n3.0\n3.0\n"
    assert done.err.count("In all:") == 1
    assert read_trace(tmp_path / "trace.jsonl").tallies
    spoke = {line.split()[1] for line in done.err.splitlines() if line.startswith("surrounded.py:")}
    assert done.code == (1 if any(code.startswith(("DL2", "DL3")) for code in spoke) else 0)


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_the_trace_of_a_program_that_is_killed(tmp_path: Path) -> None:
    write(
        tmp_path / "killed.py",
        """\
        import os, signal, torch
        x = torch.ones(3).cuda()
        for _ in range(5):
            x.sum().item()
        os.kill(os.getpid(), signal.SIGKILL)
        """,
    )
    done = observed(tmp_path, "--simulate", "cuda", "--trace", "trace.jsonl", "killed.py")
    assert done.code == -signal.SIGKILL
    trace = read_trace(tmp_path / "trace.jsonl")
    assert 5 in [tally.count for tally in trace.tallies]
    assert trace.remarks == ["the trace is incomplete: the program was killed, or is still running"]


def test_what_is_not_allowed_raises_at_its_line(tmp_path: Path) -> None:
    write(
        tmp_path / "waits.py",
        """\
        import torch
        x = torch.ones(3).cuda()
        for turn in range(5):
            print(turn)
            x.sum().item()
        """,
    )
    done = observed(tmp_path, "--simulate", "cuda", "--sync", "disallow", "--warmup", "2", "waits.py")
    assert (done.code, done.out) == (1, "0\n1\n2\n")
    assert 'waits.py", line 5, in <module>' in done.err
    assert "note: the program was stopped by a disallowed event" in done.err
    assert "devlint/runtime" not in done.err.replace("\\", "/")


@pytest.mark.parametrize(
    ("options", "line", "ends"),
    [
        (
            ["--sync", "disallow"],
            "x.sum().item()",
            "No findings, except the event that was stopped at its line.",
        ),
        ([], "x.to('gpu')", "No findings, except the errors that are explained where they were raised."),
        ([], "torch.ones(1).sum().item()", "Nothing was found."),
    ],
)
def test_nothing_is_said_to_be_found_where_an_error_says_more(
    tmp_path: Path, options: list[str], line: str, ends: str
) -> None:
    write(tmp_path / "ends.py", f"import torch\nx = torch.ones(3, device='cuda')\n{line}\n")
    done = observed(tmp_path, "--simulate", "cuda", "--ignore", "DL2", *options, "--trace", "t", "ends.py")
    assert f"\n{ends}\n" in f"\n{done.err}"
    reported = devlint(tmp_path, "report", "--ignore", "DL2", "t")
    assert reported.out.startswith(f"{ends}\n")


def test_a_mismatch_that_ends_the_program_says_how_to_find_the_rest(tmp_path: Path) -> None:
    write(
        tmp_path / "mixes.py",
        """\
        import torch
        x = torch.ones(3, device="cuda")
        for turn in range(2):
            x + torch.ones(3)
        x * torch.ones(3)
        """,
    )
    done = observed(tmp_path, "--simulate", "cuda", "mixes.py")
    assert (done.code, done.err.count("DL102")) == (1, 2)
    assert "with `--mismatch log` it continues" in done.err
    done = observed(tmp_path, "--simulate", "cuda", "--mismatch", "log", "mixes.py")
    assert (done.code, done.err.count("DL102")) == (0, 2)
    assert "--mismatch log" not in done.err


def test_a_failure_of_devlint_is_said_once_and_the_program_goes_on(tmp_path: Path) -> None:
    write(
        tmp_path / "goes_on.py",
        """\
        import sys
        sys.modules["devlint.runtime.session.session"] = None
        import torch
        print(torch.ones(3).sum().item())
        """,
    )
    done = ended(start(tmp_path, *DEVLINT, "-q", "--fail-on", "DL1", "goes_on.py"))
    assert (done.code, done.out) == (2, "3.0\n")
    assert done.err.count("devlint failed; the program continues") == 1
    assert done.err.count("\n") == 1


def test_a_simulated_run_says_what_it_did_not_measure_and_not_compile(tmp_path: Path) -> None:
    write(
        tmp_path / "compiles.py",
        """\
        import torch

        @torch.compile(backend="eager")
        def double(x):
            return 2 * x

        for _ in range(2):
            double(torch.ones(3, device="cuda")).sum().item()
        """,
    )
    done = observed(tmp_path, "--simulate", "cuda", "compiles.py")
    assert "note: the devices were simulated, so no time was measured\n" in done.err
    assert "note: 2 calls of compiled `double` ran as plain Python: torch does not compile" in done.err
    assert "Waits that no rule reports:\n  compiles.py:8:5 `torch.Tensor.item`, 2 times\n" in done.err


def test_a_long_run_says_how_many_of_its_steps_were_watched(tmp_path: Path) -> None:
    write(
        tmp_path / "train.py",
        """\
        import torch

        weight = torch.nn.Parameter(torch.ones(2, device="cuda"))
        optimizer = torch.optim.SGD([weight], lr=0.1)
        for _ in range(1000):
            loss = weight.sum()
            loss.backward()
            optimizer.step()
            loss.item()
        """,
    )
    options = ("--simulate", "cuda", "--every", "auto", "--output-format")
    said = observed(tmp_path, *options, "concise", "train.py").err
    assert "in the training loop (about 1,000 times)" in said
    assert "In all: about 1,000 waits" in said
    assert re.search(r"note: \d\d of 1,000 steps were observed", said)
    (finding,) = json.loads(observed(tmp_path, *options, "json", "train.py").err)
    assert finding["observed"] == {
        "count": 1000,
        "seconds": None,
        "bytes": None,
        "estimated": True,
        "ranks": [],
    }
