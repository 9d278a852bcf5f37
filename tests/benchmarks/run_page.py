"""Measures the page of a run with many events: `python -m tests.benchmarks.run_page 100000`.

Median of five. A page is loaded when the browser has drawn it once; a filter and a zoom are measured from the
input to the frame that shows it.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from devlint.report.page import render
from tests.browser.chromium import started
from tests.report.profiles import profile

_ROUNDS = 5
_LOADED = "return performance.getEntriesByType('navigation')[0].loadEventEnd"
_FRAME = """
const [action, done] = arguments;
const began = performance.now();
new Function(action)();
requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
"""
_ACTIONS = {
    "a word is searched for": (
        "const text = document.getElementById('text'); text.value = 'item';"
        "text.dispatchEvent(new Event('input'))"
    ),
    "the timeline is zoomed": "document.getElementById('zoom-in').click()",
    "all is shown again": "document.getElementById('zoom-all').click()",
}


def main() -> None:
    """Print size and times, in milliseconds."""
    events = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as folder, started(Path(folder) / "user") as browser:
        page = Path(folder) / "page.html"
        with page.open("w", encoding="utf-8") as out:
            render(profile(steps=events // 5), out)
        rounds = [_round(browser, page) for _ in range(_ROUNDS)]
        print(f"{events:,} events, {page.stat().st_size / 1e6:.1f} MB")  # noqa: T201
        for what in rounds[0]:
            print(f"{what}: {statistics.median(each[what] for each in rounds):.0f} ms")  # noqa: T201


def _round(browser: Any, page: Path) -> dict[str, float]:
    browser.get(page.as_uri())
    loaded = browser.execute_script(_LOADED)
    return {
        "the page is loaded": loaded,
        **{what: browser.execute_async_script(_FRAME, action) for what, action in _ACTIONS.items()},
    }


if __name__ == "__main__":
    main()
