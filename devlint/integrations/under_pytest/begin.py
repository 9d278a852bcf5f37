"""Enabling the plugin, before any file of the project is imported."""

from __future__ import annotations

import os

import pytest

from devlint.integrations.under_pytest.ledger import Ledger
from devlint.integrations.under_pytest.lift.collected_files import CollectedFiles
from devlint.integrations.under_pytest.lift.ledger import LiftLedger
from devlint.integrations.under_pytest.lift.report import LiftedSummary
from devlint.integrations.under_pytest.lift.watch import LiftedWatch
from devlint.integrations.under_pytest.lift_settings import LiftSettings
from devlint.integrations.under_pytest.options import SUMMARY, TOLD, WATCH
from devlint.integrations.under_pytest.settings import PytestSettings, read
from devlint.integrations.under_pytest.watch import PytestHooks, Summary
from devlint.runtime.lift import Lift, Owners
from devlint.runtime.policy import settings as runtime
from devlint.runtime.session.observation import Lifting
from devlint.runtime.session.session import Session


def begin(config: pytest.Config) -> None:
    """Observe, on simulated devices if requested, until pytest unconfigures.

    Raises: pytest.UsageError: if an option is invalid.
    """
    settings = read(config)
    ledger = Ledger() if settings.lift is None else LiftLedger()
    manager = config.pluginmanager
    if not _only_distributes(config):
        manager.register(_watch(config, settings, ledger), WATCH)
    if "PYTEST_XDIST_WORKER" not in os.environ:
        manager.register(_summary(settings, ledger), SUMMARY)


def _watch(config: pytest.Config, settings: PytestSettings, ledger: Ledger) -> PytestHooks:
    """The started observation of the tests of this process."""
    if settings.lift is None or not isinstance(ledger, LiftLedger):
        return PytestHooks(settings, _started(config, settings), ledger)
    return _lifted_watch(config, settings, settings.lift, ledger)


def _lifted_watch(
    config: pytest.Config, settings: PytestSettings, how: LiftSettings, ledger: LiftLedger
) -> LiftedWatch:
    owners = Owners(config.rootpath, how.packages, how.tests)
    lift = Lift(owners, how.index)
    config.pluginmanager.register(CollectedFiles(owners, config), TOLD)
    return LiftedWatch(settings, _started(config, settings, lift), ledger, lift, how)


def _started(config: pytest.Config, settings: PytestSettings, lift: Lifting | None = None) -> Session:
    session = Session(runtime.RunSettings(simulate=settings.simulate, devices=settings.devices), lift)
    session.start()
    config.add_cleanup(session.stop)
    return session


def _summary(settings: PytestSettings, ledger: Ledger) -> Summary:
    if settings.lift is None or not isinstance(ledger, LiftLedger):
        return Summary(settings, ledger)
    return LiftedSummary(settings, ledger, settings.lift)


def _only_distributes(config: pytest.Config) -> bool:
    """Whether this process does not run tests itself, but distributes them to workers of pytest-xdist."""
    namespace = config.known_args_namespace
    wants_workers = getattr(namespace, "numprocesses", None) or getattr(namespace, "tx", None)
    return bool(wants_workers) and "PYTEST_XDIST_WORKER" not in os.environ
