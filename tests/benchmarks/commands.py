"""Compares whole commands: devlint, two parsers, and other linters.

Run it with `python -m tests.benchmarks.check_speed DIRECTORY --commands`.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tests.benchmarks.corpus import Program

SHARE_FOR_TORCHFIX = 20
"""TorchFix gets one of this number of files, because it would take an hour for all of them."""
ROUNDS = 15
"""How often each command on one file is run, all of them once a round; medians count."""
SHORT = (270, 330)
"""How many lines the one file may have."""
LAUNCHER = """
import os, sys, time
start = time.perf_counter()
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, 2, 1)])
_, status, usage = os.wait4(child, 0)
wall = time.perf_counter() - start
print(os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss)
"""
"""Starts a command from a small process, because the peak memory of a child includes that of its parent."""
_PARSE = """
import sys
{parser}
for path in sys.argv[1:]:
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    try:
        {call}
    except Exception:
        pass
"""
LIBCST = _PARSE.format(parser="import libcst", call="libcst.parse_module(text)")
AST = _PARSE.format(parser="import ast, warnings; warnings.simplefilter('ignore')", call="ast.parse(text)")
BUG = "\n\ndef _added_by_the_benchmark():\n    return torch.ones(2).to('gpu')\n"
"""A finding that devlint only reports."""
FIXABLE = "\n\ndef _added_by_the_benchmark():\n    return torch.ones(2, device='cuda') + torch.ones(2)\n"
"""A finding for which it also works out a fix."""


@dataclass(frozen=True, slots=True)
class Spent:
    """The cost of a command."""

    cpu: float
    """Seconds of processor time, its processes together."""
    wall: float
    peak: float
    """MiB that its largest process held."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table."""

    name: str
    spent: Spent
    ratios: tuple[float, float] | None = None
    """Of processor time and of time on the clock to the yardstick's, where they were measured as such."""


def run(command: Sequence[str], directory: Path) -> Spent:
    """Run a command to its end; findings are not a failure.

    Raises:
        RuntimeError: it failed.
    """
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "PYTHONDONTWRITEBYTECODE": ""}
    launch = [sys.executable, "-S", "-c", LAUNCHER, *command]
    done = subprocess.run(launch, cwd=directory, env=environment, capture_output=True, text=True, check=True)
    code, cpu, wall, peak = done.stdout.split()
    if code not in ("0", "1"):
        raise RuntimeError(f"{command[:4]} answers {code}: {done.stderr[-500:]}")
    return Spent(float(cpu), float(wall), float(peak) / (1 << 20 if sys.platform == "darwin" else 1 << 10))


def in_rounds(commands: Sequence[tuple[str, Sequence[str]]], directory: Path) -> list[Row]:
    """Run each command once a round, so that what slows a round down slows all of them; what each took, and
    the median of what each took in ratio to the first one of its round."""
    rounds = [[run(command, directory) for _, command in commands] for _ in range(ROUNDS)]
    rows = []
    for number, (name, _) in enumerate(commands):
        spent = [one[number] for one in rounds]
        cpu, wall, peak = (median(getattr(each, what) for each in spent) for what in ("cpu", "wall", "peak"))
        ratios = [(one[number].cpu / one[0].cpu, one[number].wall / one[0].wall) for one in rounds]
        rows.append(
            Row(name, Spent(cpu, wall, peak), (median(r[0] for r in ratios), median(r[1] for r in ratios)))
        )
    return rows


def report(programs: Sequence[Program], count: int, seed: int, torchfix: str | None) -> Iterator[str]:
    """Both tables, line by line as they come."""
    torch = [program for program in programs if program.imports_torch]
    chosen = random.Random(seed).sample(torch, min(count, len(torch)))
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary)
        files = _laid_out(chosen, home / "project")
        yield f"{len(files)} files that import torch, {sum(program.lines for program in chosen):,} lines"
        yield from _table(_on_project(home / "project", files), "libcst.parse_module")
        for part in (4, 2, 1):
            some = files[: -(-len(files) // part)]
            yield from _growth(home / "project", some)
        if torchfix:
            some = files[::SHARE_FOR_TORCHFIX]
            yield f"{len(some)} of these files"
            yield from _table(_with_torchfix(home / "project", some, torchfix), "libcst.parse_module")
        one = next((program for program in torch if SHORT[0] <= program.lines <= SHORT[1]), torch[0])
        yield f"one file of {one.lines} lines, medians of {ROUNDS} rounds"
        _write_one(home, one)
        yield from _table(in_rounds(_on_one_file(torchfix), home), "python -c pass")
        yield "against LibCST, medians of as many rounds"
        yield from _table(in_rounds(_against_libcst(torchfix), home), "import LibCST and parse it")


def _laid_out(programs: Sequence[Program], home: Path) -> list[str]:
    """Copies of programs, among each other as they were; their names."""
    root = os.path.commonpath([program.path.parent for program in programs])
    names = []
    for program in programs:
        name = program.path.relative_to(root)
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(program.data)
        names.append(str(name))
    return names


def _devlint(*options: str) -> list[str]:
    script = "import sys; from devlint.cli import start; sys.exit(start())"  # what pip installs as `devlint`
    return [sys.executable, "-c", script, "check", "--isolated", "--quiet", *options]


def _on_project(home: Path, files: Sequence[str]) -> Iterator[Row]:
    python = sys.executable
    yield Row("libcst.parse_module", run([python, "-c", LIBCST, *files], home))
    yield Row("ast.parse", run([python, "-c", AST, *files], home))
    yield Row("devlint, cold", run(_devlint("--no-cache", "--jobs=1"), home))
    yield Row("devlint, cold, two processes", run(_devlint("--no-cache", "--jobs=2"), home))
    yield Row("devlint, cold, remembering", run(_devlint("--jobs=1"), home))
    yield Row("devlint, warm", run(_devlint("--jobs=1"), home))
    with (home / files[0]).open("a", encoding="utf-8") as changed:
        changed.write(BUG)
    yield Row("devlint, one file changed", run(_devlint("--jobs=1"), home))
    if shutil.which("ruff"):
        yield Row("ruff", run(["ruff", "check", "--isolated", "--no-cache", "--quiet"], home))
    if shutil.which("flake8"):
        yield Row("flake8", run(["flake8", "--isolated", "--jobs=1", "--quiet"], home))


def _growth(home: Path, files: Sequence[str]) -> Iterator[str]:
    spent = run(_devlint("--no-cache", "--jobs=1", *files), home)
    size = sum((home / file).stat().st_size for file in files)
    rate = spent.cpu / size * (1 << 20)
    yield (
        f"  devlint, cold, {len(files):>5} files {spent.cpu:>8.2f} s {rate:>6.2f} s a MiB "
        f"{spent.peak:>5.0f} MiB held"
    )


def _with_torchfix(home: Path, files: Sequence[str], torchfix: str) -> Iterator[Row]:
    yield Row("libcst.parse_module", run([sys.executable, "-c", LIBCST, *files], home))
    yield Row("devlint, cold", run(_devlint("--no-cache", "--jobs=1", *files), home))
    yield Row("TorchFix", run([torchfix, *files], home))


def _write_one(home: Path, program: Program) -> None:
    plain = "".join(f"def f_{number}(x):\n    return x + {number}\n\n" for number in range(100))
    (home / "one.py").write_bytes(program.data)
    (home / "bug.py").write_bytes(program.data + BUG.encode())
    (home / "fixable.py").write_bytes(program.data + FIXABLE.encode())
    (home / "plain.py").write_text(plain)
    run(_devlint("one.py", "bug.py"), home)


def _on_one_file(torchfix: str | None) -> list[tuple[str, Sequence[str]]]:
    python = sys.executable
    return [
        ("python -c pass", [python, "-c", "pass"]),
        ("devlint, cold", _devlint("--no-cache", "one.py")),
        ("devlint, warm", _devlint("one.py")),
        ("devlint, warm, with a finding", _devlint("bug.py")),
        ("devlint, no torch in it", _devlint("--no-cache", "plain.py")),
        *_other_linters(torchfix),
    ]


def _against_libcst(torchfix: str | None) -> list[tuple[str, Sequence[str]]]:
    return [
        ("import LibCST and parse it", [sys.executable, "-c", LIBCST, "one.py"]),
        ("devlint, cold", _devlint("--no-cache", "one.py")),
        ("devlint, cold, with a finding", _devlint("--no-cache", "bug.py")),
        ("devlint, cold, with a fix", _devlint("--no-cache", "fixable.py")),
        ("devlint --diff, cold, with a fix", _devlint("--no-cache", "--diff", "fixable.py")),
        *_other_linters(torchfix),
    ]


def _other_linters(torchfix: str | None) -> Iterator[tuple[str, Sequence[str]]]:
    if shutil.which("ruff"):
        yield "ruff", ["ruff", "check", "--isolated", "--no-cache", "one.py"]
    if shutil.which("flake8"):
        yield "flake8", ["flake8", "--isolated", "one.py"]
    if torchfix:
        yield "TorchFix", [torchfix, "one.py"]


def _table(rows: Iterable[Row], yardstick: str) -> Iterator[str]:
    unit = None
    yield f"  {'':<32} {'cpu':>9} {'ratio':>7} {'wall':>9} {'ratio':>7} {'peak':>9}"
    for row in rows:
        if row.name == yardstick:
            unit = row.spent
        assert unit is not None
        spent = row.spent
        cpu, wall = row.ratios or (spent.cpu / unit.cpu, spent.wall / unit.wall)
        yield (
            f"  {row.name:<32} {spent.cpu:>7.3f} s {cpu:>7.2f} {spent.wall:>7.3f} s {wall:>7.2f} "
            f"{spent.peak:>5.0f} MiB"
        )
