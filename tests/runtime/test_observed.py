"""Tests of the findings of runs, as the Markdown files in `observed/` specify them; see
`observed/README.md`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import devlint
from tests.markdown import Case, cases_in

FOLDER = Path(__file__).parent / "observed"
CASES = [case for file in sorted(FOLDER.glob("*.md")) if file.name != "README.md" for case in cases_in(file)]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 knows lines only, and no operands' texts")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # where a case writes what it loads
    program = tmp_path / "program.py"
    program.write_text(case.text, encoding="utf-8")
    code = compile(case.text, str(program), "exec")
    with devlint.simulate("cuda"), devlint.guard(mismatch="log") as guard:
        exec(code, {"__name__": "__main__"})
    found: dict[int, list[str]] = {}
    for finding in guard.findings:
        times = finding.observed.count if finding.observed is not None else 0
        found.setdefault(finding.site.line, []).append(f"{finding.code} x{times}")
    assert {line: sorted(codes) for line, codes in found.items()} == case.found


def test_every_name_is_used_once() -> None:
    names = [case.name for case in CASES]
    assert sorted(names) == sorted(set(names))
