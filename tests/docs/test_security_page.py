"""The threat model: each line names a test that there is."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?` \|$", re.MULTILINE)


def test_each_attack_has_its_test() -> None:
    page = (ROOT / "docs" / "security.md").read_text("utf-8")
    _, table = page.split("## Attacks\n")
    rows = [line for line in table.split("\n## ")[0].splitlines() if line.startswith("| ")][1:]
    named = [NAMED.search(row) for row in rows]
    assert len(rows) >= 20
    for row, found in zip(rows, named, strict=True):
        assert found is not None, row
        text = (ROOT / found[1]).read_text("utf-8")
        assert found[2] is None or re.search(rf"^(?:def|class) {found[2]}\b", text, re.MULTILINE), row
