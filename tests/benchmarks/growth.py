"""Measures how the time of a check grows with a file: an exponent for each kind of long file.

`python -m tests.benchmarks.growth [NAME ...] [--lines 1000 2000]` writes programs of these lengths, checks
each in a process of its own, with the default rules and with all, and fits `seconds = a * lines ** exponent`
over the longer half, where what each check costs no longer counts. A check that takes longer than the limit
is ended, and the longer ones are left out. Garbage is collected as seldom as in the command.

`python -m tests.benchmarks.growth assignments --lines 25000 50000 100000` measures artificial files.
"""

from __future__ import annotations

import argparse
import gc
import math
import multiprocessing
from collections.abc import Callable, Collection, Iterator, Sequence
from multiprocessing.connection import Connection
from resource import RLIM_INFINITY, RLIMIT_CPU, RUSAGE_SELF, getrusage, setrlimit
from time import process_time
from typing import NamedTuple

from devlint.cli import COLLECT_AFTER
from devlint.pipeline.analysis.text import find_all
from devlint.rules import registry

LINES = (1000, 2000, 4000, 8000, 16000)
LIMIT = 120.0
"""Seconds of the processor for one check."""
HEAD = "import torch\n"


class Measured(NamedTuple):
    """One check."""

    lines: int
    seconds: float
    findings: int
    megabytes: float
    """The peak memory of the process."""


def findings_in_a_loop(lines: int) -> Iterator[str]:
    """Each line of one training loop waits."""
    yield "model = torch.nn.Linear(2, 2).cuda()"
    yield "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)"
    yield "for x in torch.rand(9, 2, device='cuda'):"
    yield "    loss = model(x).sum()"
    yield "    loss.backward()"
    yield "    optimizer.step()"
    for number in range(lines):
        yield f"    v{number} = (loss + {number}).item()"


def methods_that_call_the_next(lines: int) -> Iterator[str]:
    """A class whose methods each bind an attribute and call the next one."""
    yield "class Net(torch.nn.Module):"
    count = lines // 3
    for number in range(count):
        yield f"    def m{number}(self, x):"
        yield f"        self.a{number} = torch.ones(2)"
        yield f"        return self.m{number + 1}(x)" if number + 1 < count else "        return x"


def classes_in_a_chain(lines: int) -> Iterator[str]:
    """Chains of four hundred classes, each derived from the one before."""
    for number in range(lines // 3):
        base = "torch.nn.Module" if number % 400 == 0 else f"C{number - 1}"
        yield f"class C{number}({base}):"
        yield "    def forward(self, x):"
        yield "        return super().forward(x)"


def a_dict_key_by_key(lines: int) -> Iterator[str]:
    """A dict that is filled key by key."""
    yield "d = {}"
    for number in range(lines):
        yield f"d['k{number}'] = torch.ones({number % 9 + 1})"


def factories_in_a_function(lines: int) -> Iterator[str]:
    """A function that makes a tensor in each line."""
    yield "def make(device):"
    for number in range(lines):
        yield f"    t{number} = torch.zeros(3).to(device)"
    yield "make('cuda')"


def attributes_of_a_class(lines: int) -> Iterator[str]:
    """A module with a tensor in each attribute."""
    yield "class Net(torch.nn.Module):"
    yield "    def __init__(self):"
    yield "        super().__init__()"
    for number in range(lines):
        yield f"        self.a{number} = torch.ones(3)"


def augmented_additions(lines: int) -> Iterator[str]:
    """One tensor to which others are added."""
    yield "x = torch.zeros(3, device='cuda')"
    for _ in range(lines):
        yield "x += torch.ones(3, device='cuda')"


def moves_in_branches(lines: int) -> Iterator[str]:
    """A tensor that is moved in one of two branches, again and again."""
    yield "def f(x, flag):"
    for number in range(lines // 4):
        yield f"    if flag == {number}:"
        yield "        x = x.to('cuda')"
        yield "    else:"
        yield "        x = x.to('cpu')"
    yield "    return x"


def assignments(lines: int) -> Iterator[str]:
    """Numbers with names."""
    for number in range(lines):
        yield f"v{number} = {number}"


GENERATORS: dict[str, Callable[[int], Iterator[str]]] = {
    each.__name__: each
    for each in (
        findings_in_a_loop,
        methods_that_call_the_next,
        classes_in_a_chain,
        a_dict_key_by_key,
        factories_in_a_function,
        attributes_of_a_class,
        augmented_additions,
        moves_in_branches,
        assignments,
    )
}
RULES: dict[str, Callable[[], Collection[str]]] = {
    "default": registry.default_codes,
    "all": registry.codes,
}


def program(name: str, lines: int) -> str:
    """A program of about so many lines."""
    return HEAD + "".join(f"{line}\n" for line in GENERATORS[name](lines))


def measure(name: str, rules: str, lines: int, limit: float) -> Measured | None:
    """One check in a process of its own; None if it took too long."""
    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(
        target=_check, args=(name, rules, lines, limit, there)
    )
    process.start()
    there.close()
    try:
        measured: Measured = here.recv()
    except EOFError:
        return None
    finally:
        process.join()
    return measured


def _check(name: str, rules: str, lines: int, limit: float, answer: Connection) -> None:
    setrlimit(RLIMIT_CPU, (round(process_time() + limit), RLIM_INFINITY))
    gc.set_threshold(COLLECT_AFTER)
    text = program(name, lines)
    before = process_time()
    found = find_all(text, f"{name}.py", RULES[rules]())
    seconds = process_time() - before
    answer.send(Measured(lines, seconds, len(found), getrusage(RUSAGE_SELF).ru_maxrss / 1024))


def exponent(measured: Sequence[Measured]) -> float:
    """The slope of time over lines, both as logarithms, by least squares."""
    points = [(math.log(each.lines), math.log(each.seconds)) for each in measured]
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


def run(names: Sequence[str], lengths: Sequence[int], limit: float) -> None:
    """Measure and print, a line for each kind of file and choice of rules."""
    find_all(f"{HEAD}x = torch.ones(2, device='cuda') + torch.ones(2)\n", "a.py", registry.codes())
    columns = ("file", "rules", *(f"{length:,}" for length in lengths), "exponent", "findings", "MB")
    print(f"| {' | '.join(columns)} |")  # noqa: T201
    for name in names:
        for rules in RULES:
            measured: list[Measured] = []
            for length in lengths:
                each = measure(name, rules, length, limit)
                if each is None:
                    break
                measured.append(each)
            print(_row(name, rules, lengths, measured, limit), flush=True)  # noqa: T201


def _row(name: str, rules: str, lengths: Sequence[int], measured: Sequence[Measured], limit: float) -> str:
    times = [f"{each.seconds:.2f} s" for each in measured]
    times += [f"> {limit:.0f} s"] * (len(lengths) - len(measured))
    longer = measured[len(measured) // 2 - 1 :]
    fitted = f"{exponent(longer):.2f}" if len(longer) > 1 else "-"
    last = (f"{measured[-1].findings:,}", f"{measured[-1].megabytes:,.0f}") if measured else ("-", "-")
    return f"| {name} | {rules} | {' | '.join(times)} | {fitted} | {' | '.join(last)} |"


def main() -> None:
    """Measure what the command line names; everything, where it names nothing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*GENERATORS, []])
    parser.add_argument("--lines", nargs="+", type=int, default=LINES)
    parser.add_argument("--limit", type=float, default=LIMIT)
    arguments = parser.parse_args()
    run(arguments.names or list(GENERATORS), arguments.lines, arguments.limit)


if __name__ == "__main__":
    main()
