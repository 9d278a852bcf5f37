"""The options of the plugin, and the names of its parts in pytest.

They are declared in every run of pytest with devlint installed, so nothing here imports torch.
"""

from __future__ import annotations

from typing import NamedTuple

HERE = "devlint"
"""The name of the marker, of the section in the summary, and the beginning of every option's name."""
WATCH, SUMMARY, TOLD = "devlint-watch", "devlint-summary", "devlint-told"
"""The plugins that are registered when this one is on: one observes tests, one prints the summary, and one
learns which code is test code."""


class PytestOption(NamedTuple):
    """An option of the command line, with the setting of the same name in pytest's configuration file."""

    name: str
    help: str
    metavar: str = ""
    """Empty for a flag."""
    several: bool = False

    @property
    def flag(self) -> str:
        """Its name on the command line."""
        return f"--{self.name}"

    @property
    def ini(self) -> str:
        """Its name in the configuration file and in pytest."""
        return self.name.replace("-", "_")


OPTIONS = (
    PytestOption("devlint", "observe the tests: mixed devices, copies and waits"),
    PytestOption("devlint-simulate", "observe them on simulated devices: cuda, xpu or mps", "TYPE"),
    PytestOption(
        "devlint-lift", "run tests for the CPU as if their tensors were on a device: cuda or cuda:N", "DEVICE"
    ),
    PytestOption(
        "devlint-lift-package",
        "the packages that are judged in lifted tests (default: the project)",
        "NAMES",
        several=True,
    ),
    PytestOption(
        "devlint-lift-tests",
        "files and directories of test code, besides the collected ones",
        "PATHS",
        several=True,
    ),
    PytestOption("devlint-lift-report-only", "report the library's mistakes, and let lifted tests continue"),
    PytestOption(
        "devlint-lift-turns",
        "unit that changes to the next device: file (the default) or test",
        "WHAT",
    ),
    PytestOption("devlint-lift-json", "write the report of lifted tests to this file, as JSON", "FILE"),
    PytestOption("devlint-devices", "number of simulated devices (default: 1)", "N"),
    PytestOption(
        "devlint-mismatch", "operands on different devices: allow, log or disallow (the default)", "LEVEL"
    ),
    PytestOption(
        "devlint-sync", "the host waits for a device: allow, log (the default) or disallow", "LEVEL"
    ),
    PytestOption(
        "devlint-host-to-device",
        "copies to a device: allow, log, disallow, log_explicit (the default), disallow_explicit",
        "LEVEL",
    ),
    PytestOption("devlint-device-to-host", "copies to the host: like --devlint-host-to-device", "LEVEL"),
    PytestOption("devlint-select", "only report these rules", "CODES", several=True),
    PytestOption("devlint-ignore", "do not report these rules", "CODES", several=True),
    PytestOption(
        "devlint-fail-on", "fail each test in which these rules have findings", "CODES", several=True
    ),
    PytestOption("devlint-format", "output format: full (the default), concise or github", "FORMAT"),
)
