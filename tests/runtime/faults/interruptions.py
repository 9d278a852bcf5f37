"""Interrupt runs at random moments: `python -m tests.runtime.faults.interruptions --count 200`.

A run that is interrupted has to end by the signal, as the program would, or with devlint's own code for it
before the program has begun; and it has to end.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from devlint.cli.exit import ExitCode
from tests.runtime.faults.__main__ import PRELOADED
from tests.runtime.faults.harness import UNBEGUN, start_in_child

LONG = "import torch\nx = torch.ones(2)\nfor _ in range(4000):\n    x = (x.to('cpu') + 1) % 7\nprint(x)\n"
OPTIONS = ((), ("--simulate", "cuda"), ("--trace", "trace.jsonl"))
PATIENCE = 60
"""Seconds after which a run counts as one that does not end."""


def main() -> int:
    """Print how the runs ended, and the output of those that ended otherwise than they should."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    assert PRELOADED
    chance = random.Random(arguments.seed)
    came: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        where = Path(name)
        (where / "program.py").write_text(LONG)
        whole = _seconds((), where)
        for number in range(arguments.count):
            options = OPTIONS[number % len(OPTIONS)]
            came[_interrupted(options, where, chance.uniform(0, 1.2 * whole))] += 1
    print(dict(came))  # noqa: T201
    return 1 if came["otherwise"] or came["does not end"] else 0


def _seconds(options: Sequence[str], where: Path) -> float:
    """The duration of a run without interruption."""
    began = time.monotonic()
    os.waitpid(start_in_child([*options, "program.py"], where, _quietly), 0)
    return time.monotonic() - began


def _quietly() -> Callable[[], None]:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    return lambda: None


def _interrupted(options: Sequence[str], where: Path, delay: float) -> str:
    child = start_in_child([*options, "program.py"], where, _quietly)
    time.sleep(delay)
    os.kill(child, signal.SIGINT)
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return _verdict(os.waitstatus_to_exitcode(status), where)
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "does not end"


def _verdict(code: int, where: Path) -> str:
    if code == -signal.SIGINT:
        return "by the signal"
    if code in (ExitCode.INTERRUPTED, UNBEGUN):
        return "before the program began"
    if code == 0:
        return "had ended"
    print(code, (where / "err").read_text("utf-8")[-2000:])  # noqa: T201
    return "otherwise"


if __name__ == "__main__":
    sys.exit(main())
