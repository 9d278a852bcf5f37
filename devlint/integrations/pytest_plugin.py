"""The pytest plugin: its options, and the switch. What it does when it is on is in `under_pytest`.

It is loaded by every run of pytest where devlint is installed. Unless it is switched on, it imports neither
torch nor devlint's observer.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

HERE = "devlint"
"""The name of the marker, of the section in the summary, and the beginning of every option's name."""
WATCH, SUMMARY = "devlint-watch", "devlint-summary"
"""The plugins that are registered when this one is on: one watches tests, one prints."""


class Option(NamedTuple):
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
    Option("devlint", "watch the tests: mixed devices, copies and waits"),
    Option("devlint-simulate", "watch them on simulated devices: cuda, xpu or mps", "TYPE"),
    Option("devlint-devices", "how many devices are simulated (1)", "N"),
    Option(
        "devlint-mismatch", "operands on different devices: allow, log or disallow (the default)", "LEVEL"
    ),
    Option("devlint-sync", "the host waits for a device: allow, log (the default) or disallow", "LEVEL"),
    Option(
        "devlint-host-to-device",
        "copies to a device: allow, log, disallow, log_explicit (the default), disallow_explicit",
        "LEVEL",
    ),
    Option("devlint-device-to-host", "copies to the host: as --devlint-host-to-device", "LEVEL"),
    Option("devlint-select", "report these rules alone", "CODES", several=True),
    Option("devlint-ignore", "do not report these rules", "CODES", several=True),
    Option("devlint-fail-on", "fail each test in which these rules speak", "CODES", several=True),
    Option("devlint-format", "how findings are shown: full (the default) or concise", "FORMAT"),
)

_SWITCHES = ("devlint", "devlint-simulate")
"""The options that switch the plugin on."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare all options, and the settings of the same names."""
    group = parser.getgroup(HERE, "devices, copies and waits of PyTorch (devlint)")
    for option in OPTIONS:
        if not option.metavar:
            group.addoption(option.flag, dest=option.ini, action="store_true", default=None, help=option.help)
            parser.addini(option.ini, option.help, type="bool", default=False)
            continue
        group.addoption(option.flag, dest=option.ini, metavar=option.metavar, help=option.help)
        if option.several:
            parser.addini(option.ini, option.help, type="args", default=None)
        else:
            parser.addini(option.ini, option.help, type="string", default=None)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Begin before any file of the project is imported: it may ask whether there is a device."""
    _begin_if_wanted(early_config)


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker; begin here where the plugin was loaded by a conftest."""
    config.addinivalue_line(
        "markers",
        f"{HERE}(sync=, mismatch=, host_to_device=, device_to_host=, fail_on=): levels for a test that "
        "devlint watches, and the rules that fail it",
    )
    _begin_if_wanted(config)


def _begin_if_wanted(config: pytest.Config) -> None:
    given = config.known_args_namespace
    wanted = any(
        getattr(given, option.ini, None) or config.getini(option.ini)
        for option in OPTIONS
        if option.name in _SWITCHES
    )
    begun = any(map(config.pluginmanager.has_plugin, (WATCH, SUMMARY)))
    if wanted and not begun:
        from devlint.integrations.under_pytest.begin import begin  # noqa: PLC0415 - it imports torch

        begin(config)
    if not wanted:
        _refuse_idle(config)


def _refuse_idle(config: pytest.Config) -> None:
    """Refuse options of the command line where nothing is watched; those of a file wait for the switch.

    Raises:
        pytest.UsageError: there are some; the first that makes no sense is named before all else.
    """
    given = config.known_args_namespace
    idle = [
        option.flag for option in OPTIONS if option.metavar and getattr(given, option.ini, None) is not None
    ]
    if not idle:
        return
    from devlint.integrations.under_pytest.settings import read  # noqa: PLC0415 - it imports all rules

    read(config)
    raise pytest.UsageError(f"{', '.join(idle)}: nothing is watched without --devlint or --devlint-simulate")
