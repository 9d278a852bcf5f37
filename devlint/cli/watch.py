"""Checking again whenever a file changes."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING

from devlint.cli.exit import ExitCode
from devlint.cli.output import say
from devlint.pipeline.execution.run import STDIN
from devlint.project.configuration import ConfigurationError

if TYPE_CHECKING:
    from watchfiles import Change

_WATCHED = (".py", ".pyi", ".ipynb", ".toml")
_CLEARED = "\x1b[2J\x1b[3J\x1b[H"
"""Clears a terminal and its scrollback."""


def refuse_others(arguments: Namespace) -> None:
    """Reject options that make sense for one check only.

    Raises:
        ConfigurationError: if there is such an option.
    """
    others = {
        "--add-ignore": arguments.add_ignore,
        "--diff": arguments.diff,
        "--fix": arguments.fix,
        "--output-file": arguments.output_file,
        "--shard": arguments.shard,
        "--show-files": arguments.show_files,
        "--show-settings": arguments.show_settings,
        "--write-baseline": arguments.write_baseline,
        "standard input": arguments.paths == [STDIN],
    }
    for other, present in others.items():
        if present:
            raise ConfigurationError(f"--watch and {other} cannot be combined")


def watch(arguments: Namespace, check: Callable[[Namespace], int]) -> int:
    """Check, and check again after each change of a source file or a configuration file, until interrupted.

    Raises:
        KeyboardInterrupt: the user ends it.
    """
    try:
        import watchfiles  # noqa: PLC0415  # of the extra `watch`
    except ImportError:
        say("error: --watch needs watchfiles: pip install 'devlint[watch]'")
        return ExitCode.BAD_USE
    usual = watchfiles.DefaultFilter()

    def matters(change: Change, path: str) -> bool:
        return path.endswith(_WATCHED) and usual(change, path)

    if check(arguments) == ExitCode.BAD_USE:
        return ExitCode.BAD_USE
    sys.stdout.flush()
    for _ in watchfiles.watch(*arguments.paths, watch_filter=matters):
        if sys.stdout.isatty():
            sys.stdout.write(_CLEARED)
        check(arguments)
        sys.stdout.flush()
    raise KeyboardInterrupt
