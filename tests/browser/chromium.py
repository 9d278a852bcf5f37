"""Chromium without a window, as tests and benchmarks start it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,900",
)


def missing() -> str:
    """The package that has to be installed to start it; empty if none."""
    if find_spec("selenium") is None:
        return "needs Selenium: python -m pip install -e '.[dev]'"
    if shutil.which("chromium") is None or shutil.which("chromedriver") is None:
        return "needs Chromium and its driver: apt-get install chromium chromium-driver"
    return ""


@contextmanager
def started(user: Path) -> Iterator[Any]:
    """The driver of a browser with an empty user directory."""
    from selenium import webdriver  # noqa: PLC0415  # who only asks what is missing needs none

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for option in (*OPTIONS, f"--user-data-dir={user}"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    try:
        yield browser
    finally:
        browser.quit()
