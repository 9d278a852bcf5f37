"""Tests of which process reports for the ranks of a launch, and when."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.programs import ENVIRONMENT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there, each rank reports for itself")
RANK = """\
import sys
from pathlib import Path
from time import sleep
from devlint.runtime.launch.launch import Launch
from devlint.runtime.trace.ranks import Rank

def report(traces):
    sleep(1.5)
    with open("reported", "a") as file:
        file.write(" ".join(trace.name for trace in traces) + "\\n")

number = int(sys.argv[1])
Path(f"trace.{number}.jsonl").touch()
launch = Launch(Path("trace.jsonl"), Rank(number, 2))
assert launch.join(report)
print("joined", flush=True)
sys.stdin.readline()
launch.leave()
"""

READERS = """\
import os
from pathlib import Path
from devlint.runtime.launch.launch import Launch
from devlint.runtime.trace.ranks import Rank

launches = [Launch(Path("trace.jsonl"), Rank(number, 2)) for number in (0, 1)]
for number, launch in enumerate(launches):
    Path(f"trace.{number}.jsonl").touch()
    assert launch.join(lambda traces: None)
forked = os.fork()
short = next((read for _ in range(20_000) if (read := launches[1].begun()) != [0, 1]), [0, 1])
if forked:
    os.waitpid(forked, 0)
print(short, flush=True)
"""
"""A rank and a process that it has forked, as its reporter, each of which writes the first reading of the
register that lacks a rank, or else a whole one."""


class Ranks:
    """Processes that take part in launches in one folder."""

    def __init__(self, where: Path) -> None:
        self._where = where

    def begin(self, number: int) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", RANK, str(number)],
            cwd=self._where,
            env=ENVIRONMENT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "joined\n"
        return process

    @property
    def reported(self) -> list[str]:
        """The ranks in each report."""
        file = self._where / "reported"
        return file.read_text().splitlines() if file.exists() else []


@pytest.fixture
def ranks(tmp_path: Path) -> Ranks:
    return Ranks(tmp_path)


def end(process: subprocess.Popen[str]) -> None:
    """Let a rank end, and wait for that alone."""
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()
    assert process.wait(30) == 0


def closed(process: subprocess.Popen[str]) -> None:
    """Wait until no process holds the standard error that the reporter inherits."""
    assert process.stderr is not None
    assert process.stderr.read() == ""


def test_the_last_rank_stays_for_the_report_and_the_others_do_not(ranks: Ranks) -> None:
    """A launcher that ends, and a container with it, would leave no report."""
    first, second = ranks.begin(0), ranks.begin(1)
    end(second)
    assert ranks.reported == []
    end(first)
    assert ranks.reported == ["trace.0.jsonl trace.1.jsonl"]


def test_the_report_outlives_ranks_that_are_killed(ranks: Ranks) -> None:
    first, second = ranks.begin(0), ranks.begin(1)
    os.kill(first.pid, signal.SIGKILL)
    os.kill(second.pid, signal.SIGTERM)
    closed(first)
    closed(second)
    assert ranks.reported == ["trace.0.jsonl trace.1.jsonl"]


def test_launches_that_follow_each_other_are_reported_one_by_one(ranks: Ranks) -> None:
    for _ in range(2):
        both = [ranks.begin(0), ranks.begin(1)]
        for process in both:
            end(process)
    assert ranks.reported == ["trace.0.jsonl trace.1.jsonl"] * 2


def test_a_launch_may_begin_while_another_one_is_reported(ranks: Ranks) -> None:
    killed = [ranks.begin(0), ranks.begin(1)]
    for process in killed:
        process.kill()
    again = [ranks.begin(0), ranks.begin(1)]
    for process in again:
        end(process)
    for process in killed:
        closed(process)
    assert 1 <= len(ranks.reported) <= 2, (
        "one report, if the second launch was there before the first was over"
    )


def test_the_reporter_is_no_child_of_a_rank(ranks: Ranks, tmp_path: Path) -> None:
    """A program that waits for any child must not meet it."""
    script = RANK.replace(
        "sys.stdin.readline()", "import os\ntry:\n    os.wait()\nexcept ChildProcessError:\n    pass"
    )
    (tmp_path / "alone.py").write_text(script)
    ran = subprocess.run(
        [sys.executable, "alone.py", "0"],
        check=False,
        cwd=tmp_path,
        env=ENVIRONMENT,
        timeout=60,
        capture_output=True,
    )
    assert ran.returncode == 0, ran.stderr
    assert ranks.reported == ["trace.0.jsonl"]


def test_a_rank_and_what_it_has_forked_read_the_register_at_once(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", READERS],
        cwd=tmp_path,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[0, 1]\n[0, 1]\n"
