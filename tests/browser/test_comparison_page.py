"""The page of two runs beside each other."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from devlint.pipeline.observed.comparison import compare
from devlint.report.page import render_comparison
from tests.browser.conftest import problems, visit
from tests.report.profiles import profile


def test_what_differs_is_shown_and_found(browser: Any, tmp_path: Path) -> None:
    before = profile(steps=20)
    after = profile(steps=10)
    after = replace(after, report=after.report._replace(findings=after.report.findings[:1]))
    path = tmp_path / "comparison.html"
    with path.open("w", encoding="utf-8") as out:
        render_comparison(compare((before, 20), (after, 10)), out)
    assert not re.search(r"https?:", path.read_text("utf-8"))
    visit(browser, path)
    assert problems(browser) == []

    def rows(section: str) -> list[str]:
        found = browser.find_elements("css selector", f"#{section} tbody tr")
        return [" ".join(row.text.split()) for row in found if row.is_displayed()]

    gone, fewer = sorted(rows("findings"))
    assert gone.startswith("gone train.py:6:19 DL201 reading loss")
    assert fewer.startswith("less often train.py:7:20 DL105 loss is not moved")
    assert fewer.endswith("20 times 10 times")
    assert len(rows("acts")) == 5
    browser.find_element("css selector", "input[value='less often']").click()
    assert rows("findings") == [gone]
    assert rows("acts") == []
    assert browser.find_element("id", "status").text == "1 of 7 rows"
    browser.find_element("id", "text").send_keys("nothing like it")
    assert rows("findings") == []
