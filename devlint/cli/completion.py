"""Print the script by which a shell completes devlint's commands and options."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from importlib import import_module

from devlint.cli.exit import ExitCode
from devlint.cli.output import say


def add_arguments(parser: ArgumentParser) -> None:
    """Declare all options."""
    parser.add_argument("shell", choices=["bash", "zsh"], help="the shell")


def run(arguments: Namespace) -> int:
    """Print the script."""
    try:
        import shtab  # noqa: PLC0415  # of the extra `completion`
    except ImportError:
        say("error: completion needs shtab: pip install 'devlint[completion]'")
        return ExitCode.BAD_USE
    parser = _parser({"FILE": shtab.FILE, "PATH": shtab.FILE, "DIR": shtab.DIRECTORY})
    print(shtab.complete(parser, shell=arguments.shell))  # noqa: T201
    return ExitCode.CLEAN


def _parser(complete: Mapping[str, object]) -> ArgumentParser:
    """All commands as one parser. To run a command, only its own module is imported.

    `complete` maps the metavariable of an argument to what completes it.
    """
    from devlint.cli import COMMANDS  # noqa: PLC0415  # which imports this

    parser = ArgumentParser(prog="devlint")
    commands = parser.add_subparsers()
    for name, what in COMMANDS.items():
        command = commands.add_parser(name, help=what)
        if name == "help":
            command.add_argument("command", nargs="?", choices=list(COMMANDS))
        else:
            import_module(f"devlint.cli.{name}").add_arguments(command)
        for action in command._actions:
            stands = action.metavar
            if isinstance(stands, str) and stands in complete:
                action.complete = complete[stands]  # type: ignore[attr-defined]  # shtab looks for it
    return parser
