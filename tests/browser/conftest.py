"""A browser without a window. Where there is none, the tests are skipped and say what is missing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from devlint.report.page import render
from devlint.report.profile import Profile
from tests.browser.chromium import missing, started

Open = Callable[[Profile], Any]


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The driver of one browser for all tests."""
    if missing():
        pytest.skip(missing())
    with started(tmp_path_factory.mktemp("user")) as browser:
        yield browser


@pytest.fixture
def browser(chromium: Any) -> Any:
    """The browser, as a reader with a light system would have it."""
    prefer(chromium, "light")
    return chromium


@pytest.fixture
def shown(browser: Any, tmp_path: Path) -> Open:
    """Opens the page of a profile and waits until it is ready."""

    def open_(profile: Profile) -> Any:
        path = tmp_path / "report.html"
        with path.open("w", encoding="utf-8") as out:
            render(profile, out)
        return visit(browser, path)

    return open_


def visit(browser: Any, path: Path) -> Any:
    """Open a page, which works out everything before the browser says that it is loaded."""
    for forget in (logged, problems):  # what other pages have left
        forget(browser)
    browser.get(path.as_uri())
    assert browser.execute_script("return document.documentElement.dataset.ready") == "yes", problems(browser)
    return browser


def problems(browser: Any) -> list[str]:
    """The errors in the browser's console."""
    return [entry["message"] for entry in browser.get_log("browser")]


def logged(browser: Any) -> list[dict[str, Any]]:
    """The browser's log since the last call."""
    return [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]


def prefer(browser: Any, scheme: str) -> None:
    """Let the system be light or dark. It wants no motion, so that what is clicked on stays where it is."""
    features = [
        {"name": "prefers-color-scheme", "value": scheme},
        {"name": "prefers-reduced-motion", "value": "reduce"},
    ]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
