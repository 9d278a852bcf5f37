"""The settings of a lifted run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from devlint.model.simulated import SIMULATED_TYPES, read_device_count

_TURNS = ("file", "test")


@dataclass(frozen=True, slots=True)
class LiftSettings:
    """How tests are lifted."""

    type: str
    """The type of the simulated devices."""
    index: int
    """The index of the device to which tests are lifted."""
    devices: int
    """The number of simulated devices."""
    turns: str
    """What is lifted to the next device each time: `file` or `test`; empty if all is on one device."""
    packages: tuple[str, ...]
    tests: tuple[Path, ...]
    report_only: bool
    json: Path | None


def read_lift(values: dict[str, Any], directory: Path) -> LiftSettings | None:
    """How tests are lifted, from the options; None if they are not.

    Raises: pytest.UsageError: if an option is invalid.
    """
    device = values["devlint_lift"]
    if not device:
        _refuse_idle(values)
        return None
    if values["devlint_simulate"]:
        raise pytest.UsageError("--devlint-lift simulates devices itself: remove --devlint-simulate")
    kind, colon, number = device.partition(":")
    if kind not in SIMULATED_TYPES or (colon and not number.isdecimal()):
        raise pytest.UsageError(
            f"--devlint-lift: {device!r}: choose from {', '.join(SIMULATED_TYPES)}, optionally with :N"
        )
    index = int(number or "0")
    try:
        devices = read_device_count(values["devlint_devices"] or str(index + 1))
    except ValueError as error:
        raise pytest.UsageError(f"--devlint-lift={device}: {error}") from None
    if index >= devices:
        raise pytest.UsageError(f"--devlint-lift={device}: there are {devices} devices, counted from 0")
    turns = values["devlint_lift_turns"] or _TURNS[0]
    if turns not in _TURNS:
        raise pytest.UsageError(f"--devlint-lift-turns: {turns!r}: choose from {', '.join(_TURNS)}")
    is_alternating = devices > 1 and not colon
    if values["devlint_lift_turns"] and not is_alternating:
        raise pytest.UsageError(
            f"--devlint-lift-turns needs several devices: pass --devlint-devices, and {kind} without a number"
        )
    written = values["devlint_lift_json"]
    return LiftSettings(
        type=kind,
        index=index,
        devices=devices,
        turns=turns if is_alternating else "",
        packages=_names(values["devlint_lift_package"]),
        tests=tuple(directory / path for path in _names(values["devlint_lift_tests"])),
        report_only=bool(values["devlint_lift_report_only"]),
        json=directory / written if written else None,
    )


def _refuse_idle(values: dict[str, Any]) -> None:
    for name, value in values.items():
        if name.startswith("devlint_lift_") and value:
            flag = name.replace("_", "-")
            raise pytest.UsageError(f"--{flag} needs --devlint-lift")


def _names(value: Sequence[str] | str | None) -> tuple[str, ...]:
    texts = value.split(",") if isinstance(value, str) else value or ()
    return tuple(name.strip() for text in texts for name in text.split(",") if name.strip())
