"""The settings of a run of pytest, from the command line and pytest's configuration file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from devlint.integrations.under_pytest.lift_settings import LiftSettings, read_lift
from devlint.integrations.under_pytest.options import HERE, OPTIONS
from devlint.model.simulated import SIMULATED_TYPES, read_device_count
from devlint.project.configuration import ConfigurationError, Configurations
from devlint.project.selection import check_selector, expand
from devlint.project.settings import Options
from devlint.report import FORMATS
from devlint.rules import registry
from devlint.runtime.policy.levels import SUBJECTS, levels

_FORMATS = ("full", "concise", "github")


@dataclass(frozen=True, slots=True)
class PytestSettings:
    """The settings of all tests."""

    simulate: str
    devices: int
    levels: Mapping[str, str]
    """The given level of each subject, if any."""
    fail_on: frozenset[str]
    format: str
    configurations: Configurations
    lift: LiftSettings | None


@dataclass(frozen=True, slots=True)
class OfTest:
    """The settings of one test."""

    levels: Mapping[str, str]
    fail_on: frozenset[str]


def read(config: pytest.Config) -> PytestSettings:
    """The settings; the command line takes precedence over the file.

    Raises: pytest.UsageError: if an option or a configuration file of devlint is invalid.
    """
    values = {option.ini: _value(config, option.ini) for option in OPTIONS}
    lift = read_lift(values, Path.cwd())
    if lift is not None and lift.report_only and not values["devlint_mismatch"]:
        values["devlint_mismatch"] = "log"
    simulate = (
        lift.type
        if lift is not None
        else _one_of("simulate", values["devlint_simulate"] or "", ("", *SIMULATED_TYPES))
    )
    devices = values["devlint_devices"]
    if devices and not simulate:
        raise pytest.UsageError("--devlint-devices needs --devlint-simulate")
    return PytestSettings(
        simulate=simulate,
        devices=lift.devices if lift is not None else _count(devices or "1"),
        levels=_levels(
            {subject: word for subject in SUBJECTS if (word := values[f"devlint_{subject}"])}, "--devlint-"
        ),
        fail_on=expanded("--devlint-fail-on", values["devlint_fail_on"]),
        format=_one_of("format", values["devlint_format"] or "full", _FORMATS),
        configurations=_configurations(
            Options(
                select=_codes("--devlint-select", values["devlint_select"]) or None,
                ignore=_codes("--devlint-ignore", values["devlint_ignore"]),
            )
        ),
        lift=lift,
    )


def _configurations(options: Options) -> Configurations:
    """The configuration, read before the tests, because after them it would be too late to reject it."""
    found = Configurations(options, Path.cwd(), FORMATS, default=frozenset(registry.codes()), in_run=True)
    try:
        found.at(found.working_directory)
    except ConfigurationError as error:
        raise pytest.UsageError(str(error)) from None
    return found


def of_test(item: pytest.Item, settings: PytestSettings) -> OfTest:
    """The settings of a test, by its markers and those of its class and module; the nearest one decides.

    Raises: pytest.UsageError: if a marker is invalid.
    """
    chosen: dict[str, Any] = {}
    for marker in item.iter_markers(HERE):
        if marker.args or not marker.kwargs.keys() <= {*SUBJECTS, "fail_on"}:
            known = ", ".join(f"{name}=" for name in (*SUBJECTS, "fail_on"))
            raise pytest.UsageError(f"{item.nodeid}: @pytest.mark.{HERE} takes {known} and nothing else")
        chosen = {**marker.kwargs, **chosen}
    where = f"{item.nodeid}: @pytest.mark.{HERE}: "
    fail_on = expanded(f"{where}fail_on", chosen.pop("fail_on")) if "fail_on" in chosen else settings.fail_on
    return OfTest({**settings.levels, **_levels(chosen, where)}, fail_on)


def expanded(what: str, selectors: object) -> frozenset[str]:
    """The codes that some selectors select.

    Raises: pytest.UsageError: if a selector selects no rule.
    """
    codes = registry.codes()
    return frozenset().union(*(expand(text, codes) for text in _codes(what, selectors)))


def _value(config: pytest.Config, name: str) -> Any:
    value = getattr(config.known_args_namespace, name, None)
    return config.getini(name) if value is None else value


def _codes(what: str, selectors: object) -> tuple[str, ...]:
    texts = selectors or ()
    if isinstance(texts, str):
        texts = texts.split(",")
    if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
        raise pytest.UsageError(f"{what}: {selectors!r} is not a list of rules")
    codes = tuple(code.strip() for text in texts for code in text.split(",") if code.strip())
    try:
        for code in codes:
            check_selector(code, registry.codes())
    except ValueError as error:
        raise pytest.UsageError(f"{what}: {error}") from None
    return codes


def _levels(words: Mapping[str, Any], where: str) -> Mapping[str, str]:
    try:
        levels(**words)
    except ValueError as error:
        raise pytest.UsageError(f"{where}{error}") from None
    return MappingProxyType(dict(words))


def _one_of(name: str, word: str, known: tuple[str, ...]) -> str:
    if word not in known:
        raise pytest.UsageError(f"--devlint-{name}: {word!r}: choose from {', '.join(filter(None, known))}")
    return word


def _count(text: str) -> int:
    try:
        return read_device_count(text)
    except ValueError as error:
        raise pytest.UsageError(f"--devlint-devices: {error}") from None
