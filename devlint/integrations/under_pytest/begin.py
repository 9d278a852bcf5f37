"""Switching the plugin on, before any file of the project is imported."""

from __future__ import annotations

import os

import pytest

from devlint.integrations.under_pytest.ledger import Ledger
from devlint.integrations.under_pytest.options import SUMMARY, WATCH
from devlint.integrations.under_pytest.settings import read
from devlint.integrations.under_pytest.watch import Summary, Watch
from devlint.runtime import settings as runtime
from devlint.runtime.session import Session


def begin(config: pytest.Config) -> None:
    """Observe, on simulated devices if they are wanted, until pytest is done with this configuration.

    Raises:
        pytest.UsageError: an option makes no sense.
    """
    settings = read(config)
    ledger = Ledger()
    manager = config.pluginmanager
    if not _only_distributes(config):
        session = Session(runtime.Settings(simulate=settings.simulate, devices=settings.devices))
        session.start()
        config.add_cleanup(session.stop)
        manager.register(Watch(settings, session, ledger), WATCH)
    if "PYTEST_XDIST_WORKER" not in os.environ:
        manager.register(Summary(settings, ledger), SUMMARY)


def _only_distributes(config: pytest.Config) -> bool:
    """Whether this process runs no test itself, but has workers of pytest-xdist run them."""
    given = config.known_args_namespace
    wants_workers = getattr(given, "numprocesses", None) or getattr(given, "tx", None)
    return bool(wants_workers) and "PYTEST_XDIST_WORKER" not in os.environ
