"""A program whose names and texts are markup stays text on its page."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import problems, visit
from tests.cli.programs import observed

FILE = "script><img src=x onerror=pwned()>.py"
"""In a folder named `<`, so that the path begins like the end of a script."""
KEY = "</script><!--<script>pwned()</script><img src=x onerror=pwned()>"
PROGRAM = f'''\
import torch

batch = {{"{KEY}": torch.ones(3)}}
for _ in range(12):
    kept = batch["{KEY}"].to("cuda")
    print(kept.sum().item())  # {KEY}
batch["{KEY}"] + torch.ones(3, device="cuda")
'''


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 knows lines only, and no operands' texts")
def test_markup_of_a_program_is_text(browser: Any, tmp_path: Path) -> None:
    (tmp_path / "<").mkdir()
    (tmp_path / "<" / FILE).write_text(PROGRAM)
    options = ("--simulate", "cuda", "--mismatch", "log", "--report", "report.html", "-q")
    done = observed(tmp_path, *options, f"</{FILE}")
    assert done.code == 0, done.err
    visit(browser, tmp_path / "report.html")
    assert problems(browser) == []
    assert browser.find_elements("css selector", "img") == []
    assert len(browser.find_elements("css selector", "script")) == 2
    assert browser.find_element("css selector", "h1").text == f"</{FILE}"
    shown = [card.text for card in browser.find_elements("css selector", "[data-finding]")]
    assert any(KEY in card for card in shown)
    assert f"</{FILE}:6:11" in browser.find_element("id", "places-rows").text
    assert KEY in browser.find_element("id", "code").text
    browser.find_element("id", "text").send_keys("</script><!--")
    assert not browser.find_element("id", "status").text.startswith("0 of")
