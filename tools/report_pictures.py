"""Makes the pictures of docs/reports.md: `python -m tools.report_pictures`. Needs Chromium and its driver."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PROGRAM = ROOT / "docs" / "examples" / "network_and_batch_bad.py"
FOLDER = ROOT / "docs" / "images"
SCHEMES = ("light", "dark")
_WIDTH, _HEIGHT = 1200, 1230


def main() -> None:
    """Run the example on simulated devices, and take a picture of its page in each color scheme."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        options = ("--simulate", "cuda", "--mismatch", "log", "--report", str(page), "--isolated")
        command = (sys.executable, "-m", "devlint", "run", *options, PROGRAM.name)
        subprocess.run(command, cwd=PROGRAM.parent, check=True, capture_output=True)
        browser = _browser(folder)
        try:
            for scheme in SCHEMES:
                _take(browser, page, scheme)
        finally:
            browser.quit()


def _browser(folder: str) -> Any:
    from selenium import webdriver  # noqa: PLC0415  # who only asks where the pictures are needs no browser

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for option in ("--headless", "--no-sandbox", "--hide-scrollbars", f"--user-data-dir={folder}/user"):
        options.add_argument(option)
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))


def _take(browser: Any, page: Path, scheme: str) -> None:
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    size = {"width": _WIDTH, "height": _HEIGHT, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get(page.as_uri())
    browser.save_screenshot(str(FOLDER / f"report-{scheme}.png"))


if __name__ == "__main__":
    main()
