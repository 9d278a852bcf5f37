"""Delete the cache of `devlint check`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from devlint.cli.exit import ExitCode
from devlint.cli.output import say
from devlint.project.cache import default_directory, is_cache
from devlint.project.discover import reason


def add_arguments(parser: ArgumentParser) -> None:
    """Declare all options."""
    parser.add_argument(
        "--cache-dir", metavar="DIR", help="the directory that was passed to `devlint check --cache-dir`"
    )


def run(arguments: Namespace) -> int:
    """Remove the cache, if devlint made it."""
    directory = Path(arguments.cache_dir) if arguments.cache_dir else default_directory(Path.cwd())
    if not directory.exists():
        return ExitCode.CLEAN
    if not is_cache(directory):
        say(f"error: {directory} is not a cache of devlint; nothing was deleted")
        return ExitCode.BAD_USE
    try:
        _remove(directory)
    except OSError as error:
        say(f"error: {directory}: {reason(error)}")
        return ExitCode.BAD_USE
    return ExitCode.CLEAN


def _remove(directory: Path) -> None:
    """Remove a cache. A link to one stays and leads to an empty directory."""
    from shutil import rmtree  # noqa: PLC0415

    if not directory.is_symlink():
        rmtree(directory)
        return
    for entry in directory.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            rmtree(entry)
        else:
            entry.unlink()
