"""The programs of docs/examples: devlint speaks on the marked lines and on no other."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from devlint.cli import main

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "examples"
PROGRAMS = sorted(EXAMPLES.glob("*.py"))
MARK = re.compile(r"# error: \[(DL\d{3}(?:, DL\d{3})*)\]$")

RAISING = {
    "DL101": "Expected all tensors to be on the same device",
    "DL102": "Expected all tensors to be on the same device",
    "DL106": "Expected all tensors to be on the same device",
    "DL113": "invalid device ordinal",
}
"""What torch says where one of these rules does; a program with none of them runs to its end."""

TWO_GPUS = {"two_gpus_bad", "two_gpus_good", "ordinal_bad", "ordinal_good"}

each_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)


def marks(program: Path) -> dict[int, list[str]]:
    """The codes that are expected, by line."""
    lines = program.read_text("utf-8").splitlines()
    found = ((number, MARK.search(line)) for number, line in enumerate(lines, start=1))
    return {number: sorted(match[1].split(", ")) for number, match in found if match}


def check(path: Path, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    main(["check", str(path), "--output-format", "json"])
    findings: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return findings


@each_program
def test_devlint_speaks_on_the_marked_lines_only(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found: defaultdict[int, list[str]] = defaultdict(list)
    for finding in check(program, capsys):
        found[finding["location"]["row"]].append(finding["code"])
    assert {line: sorted(codes) for line, codes in found.items()} == marks(program)


@each_program
def test_a_program_is_explained_and_its_name_says_what_it_is(program: Path) -> None:
    text = program.read_text("utf-8")
    assert ast.get_docstring(ast.parse(text))
    assert bool(marks(program)) == program.stem.endswith("_bad")


def test_each_bad_program_has_a_repaired_twin() -> None:
    stems = {program.stem for program in PROGRAMS}
    bad = {stem for stem in stems if stem.endswith("_bad")}
    assert bad
    assert {f"{stem.removesuffix('_bad')}_good" for stem in bad} <= stems


def test_both_operand_orders_name_the_right_operand(capsys: pytest.CaptureFixture[str]) -> None:
    findings = check(EXAMPLES / "operand_order_bad.py", capsys)
    left_behind = [finding["message"] for finding in findings if finding["code"] == "DL102"]
    apart = [finding["message"] for finding in findings if finding["code"] == "DL101"]
    assert len(left_behind) == len(apart) == 2
    assert all("but `t2` is on cuda" in message for message in left_behind)
    assert "`t1` is on cpu, but `t2` is on cuda" in apart[0]
    assert "`t2` is on cuda, but `t1` is on cpu" in apart[1]


def test_a_module_is_where_its_parameters_are(capsys: pytest.CaptureFixture[str]) -> None:
    findings = check(EXAMPLES / "network_and_batch_bad.py", capsys)
    messages = {finding["code"]: finding["message"] for finding in findings}
    assert "the parameters of `network` are on cuda" in messages["DL102"]
    assert "`t` is on cuda, but the parameters of `network` are on cpu" in messages["DL106"]


@pytest.fixture(scope="module")
def gpus() -> int:
    torch = pytest.importorskip("torch")
    count: int = torch.cuda.device_count()
    return count


@pytest.mark.cuda
@each_program
def test_torch_raises_where_the_marks_say_so(program: Path, gpus: int) -> None:
    needed = 2 if program.stem in TWO_GPUS else 1
    if gpus < needed:
        pytest.skip(f"needs {needed} CUDA device{'s' * (needed > 1)}, has {gpus}")
    run = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False)
    expected = {RAISING[code] for codes in marks(program).values() for code in codes if code in RAISING}
    assert (run.returncode == 0) == (not expected), run.stderr
    assert not expected or any(text in run.stderr for text in expected), run.stderr
