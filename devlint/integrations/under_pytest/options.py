"""The plugin's options, and the names under which pytest knows its parts.

They are declared in every run of pytest where devlint is installed, so nothing here imports torch.
"""

from __future__ import annotations

from typing import NamedTuple

HERE = "devlint"
"""The name of the marker, of the section in the summary, and the beginning of every option's name."""
WATCH, SUMMARY, TOLD = "devlint-watch", "devlint-summary", "devlint-told"
"""The plugins that are registered when this one is on: one watches tests, one prints, and one learns
which code is that of tests."""


class PytestOption(NamedTuple):
    """An option of the command line, and the setting of the same name in pytest's configuration file."""

    name: str
    help: str
    metavar: str = ""
    """Empty for a flag."""
    several: bool = False

    @property
    def flag(self) -> str:
        """As the command line has it."""
        return f"--{self.name}"

    @property
    def ini(self) -> str:
        """As the configuration file has it, and as pytest keeps it."""
        return self.name.replace("-", "_")


OPTIONS = (
    PytestOption("devlint", "watch the tests: mixed devices, copies and waits"),
    PytestOption("devlint-simulate", "watch them on simulated devices: cuda, xpu or mps", "TYPE"),
    PytestOption(
        "devlint-lift", "run tests for the CPU as if their tensors lay on a device: cuda or cuda:N", "DEVICE"
    ),
    PytestOption(
        "devlint-lift-package", "the packages that lifted tests judge (the project)", "NAMES", several=True
    ),
    PytestOption(
        "devlint-lift-tests",
        "files and directories of test code, beside what is collected",
        "PATHS",
        several=True,
    ),
    PytestOption("devlint-lift-report-only", "report the library's mistakes, and let lifted tests go on"),
    PytestOption(
        "devlint-lift-turns", "what takes turns on several devices: file (the default) or test", "WHAT"
    ),
    PytestOption("devlint-lift-json", "write what lifted tests have shown to a file, as JSON", "FILE"),
    PytestOption("devlint-devices", "how many devices are simulated (1)", "N"),
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
    PytestOption("devlint-device-to-host", "copies to the host: as --devlint-host-to-device", "LEVEL"),
    PytestOption("devlint-select", "report these rules alone", "CODES", several=True),
    PytestOption("devlint-ignore", "do not report these rules", "CODES", several=True),
    PytestOption("devlint-fail-on", "fail each test in which these rules speak", "CODES", several=True),
    PytestOption("devlint-format", "how findings are shown: full (the default), concise or github", "FORMAT"),
)
