"""Make a program that is written for one CUDA device run on any."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from devlint.cli.exit import ExitCode
from devlint.cli.output import OutputError, output, require_place, say
from devlint.project.configuration import ConfigurationError, Configurations
from devlint.project.settings import Options
from devlint.report import FORMATS
from devlint.report.amounts import count

if TYPE_CHECKING:
    from devlint.pipeline.changes.port import Porting


def add_arguments(parser: ArgumentParser) -> None:
    """Declare all options."""
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="the files of a program, or directories with all its files"
    )
    parser.add_argument(
        "--write", action="store_true", help="write the files; without it, a patch is printed"
    )
    parser.add_argument("-o", "--output-file", metavar="FILE", help="write the patch to this file")
    parser.add_argument("--config", metavar="FILE", help="use this configuration file for all files")
    parser.add_argument("--isolated", action="store_true", help="ignore all configuration files")
    parser.add_argument("-q", "--quiet", action="store_true", help="print no summary")


def run(arguments: Namespace) -> int:
    """Port the files; print the patch or write the files, and list each place that stays unchanged."""
    from devlint.pipeline.changes.port import PortError, Porting  # noqa: PLC0415  # imports LibCST

    try:
        _refuse_contradictions(arguments)
        file = Path(arguments.config) if arguments.config else None
        porting = Porting(
            arguments.paths, Configurations(Options(), Path.cwd(), FORMATS, file, arguments.isolated)
        )
        if arguments.write:
            porting.write()
        else:
            _show(porting, arguments.output_file)
    except (ConfigurationError, OutputError, PortError) as error:
        say(f"error: {error}")
        return ExitCode.BAD_USE
    _say(porting, arguments)
    return _exit_code(porting, arguments)


def _refuse_contradictions(arguments: Namespace) -> None:
    if arguments.config and arguments.isolated:
        raise ConfigurationError("--config and --isolated cannot be combined")
    if arguments.write and arguments.output_file:
        raise ConfigurationError("--write and --output-file cannot be combined")
    require_place(arguments.output_file)


def _show(porting: Porting, file: str | None) -> None:
    from devlint.report.patch import for_stream  # noqa: PLC0415

    with output(file, sys.stdout) as out:
        for change in porting.changes:
            out.write(for_stream(change.patch, terminal=out.isatty()) if out is sys.stdout else change.patch)


def _say(porting: Porting, arguments: Namespace) -> None:
    sys.stdout.flush()
    for left in porting.left:
        say(f"{left.path}:{left.line}:{left.column}: `{left.code}` stays: {left.reason}")
    for name, why in porting.unread:
        say(f"{name}: not ported: {why}")
    for name in porting.missing:
        say(f"error: {name}: no such file or directory")
    if arguments.quiet:
        return
    if not porting.total:
        say("warning: no Python files were found under the given paths")
    verb = "Changed" if arguments.write else "Would change"
    stay = f"; {count(len(porting.left), 'place')} left" if porting.left else ""
    say(f"{verb} {count(len(porting.changes), 'file')}{stay}.")


def _exit_code(porting: Porting, arguments: Namespace) -> ExitCode:
    if porting.missing:
        return ExitCode.BAD_USE
    unfinished = bool(porting.left or porting.unread)
    return ExitCode.FINDINGS if unfinished or (porting.changes and not arguments.write) else ExitCode.CLEAN
