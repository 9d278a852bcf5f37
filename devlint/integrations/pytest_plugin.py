"""The pytest plugin: declares its options, and enables it. The rest is in `under_pytest`.

Every run of pytest with devlint installed loads it. Unless it is enabled, it imports neither torch nor
devlint's observer.
"""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from devlint.integrations.under_pytest.options import HERE, OPTIONS, SUMMARY, WATCH

_SWITCHES = ("devlint", "devlint-simulate", "devlint-lift")
"""The options that enable the plugin."""


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
    """Start before any file of the project is imported, because files may test for devices."""
    _begin_if_wanted(early_config)


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker. Start here if a conftest loaded the plugin."""
    config.addinivalue_line(
        "markers",
        f"{HERE}(sync=, mismatch=, host_to_device=, device_to_host=, fail_on=): levels for a test that "
        "devlint observes, and the rules that make it fail",
    )
    _begin_if_wanted(config)


def _begin_if_wanted(config: pytest.Config) -> None:
    namespace = config.known_args_namespace
    wanted = any(
        getattr(namespace, option.ini, None) or config.getini(option.ini)
        for option in OPTIONS
        if option.name in _SWITCHES
    )
    begun = any(map(config.pluginmanager.has_plugin, (WATCH, SUMMARY)))
    if wanted and not begun:
        if find_spec("torch") is None:
            raise pytest.UsageError("devlint needs torch to observe tests: `pip install torch`")
        from devlint.integrations.under_pytest.begin import begin  # noqa: PLC0415 - it imports torch

        begin(config)
    if not wanted:
        _refuse_idle(config)


def _refuse_idle(config: pytest.Config) -> None:
    """Reject options of the command line that have no effect, because the plugin is off.

    Raises: pytest.UsageError: if there are some, or if one is invalid.
    """
    namespace = config.known_args_namespace
    idle = [
        option.flag
        for option in OPTIONS
        if option.metavar and getattr(namespace, option.ini, None) is not None
    ]
    if not idle:
        return
    from devlint.integrations.under_pytest.settings import read  # noqa: PLC0415 - it imports all rules

    read(config)
    raise pytest.UsageError(
        f"{', '.join(idle)}: no effect without --devlint, --devlint-simulate or --devlint-lift"
    )
