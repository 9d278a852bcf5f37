"""Serve an editor by the Language Server Protocol, over standard input and output."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from importlib.util import find_spec
from pathlib import Path

from devlint.cli.check_options import add_confidence, add_configuration, add_rules, options
from devlint.cli.exit import ExitCode
from devlint.cli.output import say
from devlint.project.configuration import ConfigurationError, Configurations
from devlint.report import FORMATS

_NEEDS = "error: the language server needs pygls: python -m pip install 'devlint[server]'"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare all options."""
    add_confidence(add_rules(parser))
    add_configuration(parser)


def run(arguments: Namespace) -> int:
    """Serve until the client exits."""
    if find_spec("pygls") is None:
        say(_NEEDS)
        return ExitCode.BAD_USE
    try:
        parsed = options(arguments)
        file = _configuration(arguments)
    except ConfigurationError as error:
        say(f"error: {error}")
        return ExitCode.BAD_USE
    from devlint.integrations.language_server.server import DeviceServer  # noqa: PLC0415  # needs pygls

    DeviceServer(lambda root: Configurations(parsed, root, FORMATS, file, arguments.isolated)).serve()
    return ExitCode.CLEAN


def _configuration(arguments: Namespace) -> Path | None:
    if arguments.config and arguments.isolated:
        raise ConfigurationError("--config and --isolated cannot be combined")
    return Path(arguments.config).absolute() if arguments.config else None
