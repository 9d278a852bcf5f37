"""`%load_ext devlint`, and `%%devlint --simulate cuda` for a cell of IPython or of a notebook."""

from __future__ import annotations

import shlex
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn, Protocol

from devlint.model.simulated import SIMULATED_TYPES, read_device_count
from devlint.model.visible import visible
from devlint.pipeline.observed.findings import Shown, observed
from devlint.project.configuration import ConfigurationError, Configurations
from devlint.project.settings import Options
from devlint.report import FORMATS, renderer
from devlint.rules import registry
from devlint.runtime.policy.levels import LEVELS, TRANSFER_LEVELS, levels
from devlint.runtime.policy.settings import RunSettings
from devlint.runtime.session.session import Session

MAGIC = "devlint"


class Shell(Protocol):
    """The used part of IPython's `InteractiveShell`."""

    def register_magic_function(
        self, func: Callable[[str, str], None], magic_kind: str, magic_name: str
    ) -> None:
        """Register a function as a magic."""
        ...

    def run_cell(self, raw_cell: str) -> Any:
        """Run a cell; errors are shown, not raised."""
        ...


def load_ipython_extension(shell: Shell) -> None:
    """Called by `%load_ext devlint`."""

    def magic(line: str, cell: str) -> None:
        watch_cell(shell, line, cell)

    shell.register_magic_function(magic, "cell", MAGIC)


def watch_cell(shell: Shell, line: str, cell: str) -> None:
    """Run and observe a cell, and print the findings.

    If the options are invalid, print the error, and do not run the cell.
    """
    try:
        arguments = _parser().parse_args(shlex.split(line))
        settings = _settings(arguments)
        configurations = _configurations(arguments)
    except (_UsageError, ConfigurationError, ValueError) as error:
        sys.stderr.write(f"error: %%{MAGIC}: {visible(str(error))}\n")
        return
    session = Session(settings)
    session.start()
    try:
        shell.run_cell(cell)
    finally:
        session.stop()
    shows = Shown(arguments.third_party)
    report = observed(session.tallies(), session.sites, configurations, session.remarks, session.doubt, shows)
    renderer(arguments.output_format or "full")(report, sys.stdout)


class _UsageError(Exception):
    """Invalid options. The message is one line."""


class _Parser(ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _UsageError(message)


def _parser() -> ArgumentParser:
    parser = _Parser(prog=f"%%{MAGIC}", add_help=False, allow_abbrev=False)
    parser.add_argument("--simulate", choices=SIMULATED_TYPES, default="")
    parser.add_argument("--devices", type=read_device_count, default=1)
    for subject, known in (("mismatch", LEVELS), ("sync", LEVELS)):
        parser.add_argument(f"--{subject}", choices=[level.value for level in known])
    for subject in ("host-to-device", "device-to-host"):
        parser.add_argument(f"--{subject}", choices=[level.value for level in TRANSFER_LEVELS])
    parser.add_argument("--third-party", action="store_true")
    parser.add_argument("--output-format", choices=("full", "concise"))
    return parser


def _settings(arguments: Namespace) -> RunSettings:
    return RunSettings(
        simulate=arguments.simulate,
        devices=arguments.devices,
        levels=levels(arguments.mismatch, arguments.sync, arguments.host_to_device, arguments.device_to_host),
        everywhere=False,
    )


def _configurations(arguments: Namespace) -> Configurations:
    """The configuration of the working directory, with all rules on that are not turned off, as in `devlint
    run`."""
    every = frozenset(registry.codes())
    chosen = Options(output_format=arguments.output_format)
    configurations = Configurations(chosen, Path.cwd(), FORMATS, default=every, in_run=True)
    configurations.at(Path.cwd())
    return configurations
