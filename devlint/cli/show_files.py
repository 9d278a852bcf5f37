"""Which files would be checked: `devlint check --show-files`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from devlint.cli.exit import ExitCode
from devlint.cli.output import output, say
from devlint.model.visible import visible_start
from devlint.pipeline.files.shown_path import shown_path
from devlint.project.configuration import Configurations
from devlint.project.discover import discover


def show_files(paths: Sequence[str], configurations: Configurations, file: str | None) -> int:
    """Write the path of each file, one per line. Paths that cannot be read go to standard error.

    Raises: ConfigurationError: if a configuration file is invalid. OutputError: if the file cannot be
        written.
    """
    found = discover(paths, configurations)
    here = configurations.working_directory
    with output(file, sys.stdout) as out:
        out.writelines(f"{visible_start(shown_path(each.path, here))}\n" for each in found.files)
    for name in found.missing:
        say(f"error: {name}: no such file or directory")
    for path, why in found.unreadable:
        say(f"error: {shown_path(path, here)}: {why}")
    return ExitCode.BAD_USE if found.missing or found.unreadable else ExitCode.CLEAN
