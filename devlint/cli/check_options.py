"""The options of `devlint check`."""

from __future__ import annotations

from argparse import Action, ArgumentParser, BooleanOptionalAction, Namespace
from collections.abc import Iterable
from typing import TYPE_CHECKING

from devlint.project.cache import DIRECTORY_NAME
from devlint.project.configuration import ConfigurationError, convert
from devlint.project.settings import CONFIDENCES, SETTINGS, Options
from devlint.report import FORMATS

if TYPE_CHECKING:
    from argparse import _ArgumentGroup as ArgumentGroup

_BY_KEY = {setting.key: setting for setting in SETTINGS}


def add_arguments(parser: ArgumentParser) -> None:
    """Declare all options."""
    parser.add_argument(
        "paths",
        nargs="*",
        default=["."],
        metavar="PATH",
        help="files and directories, or `-` for standard input (default: the working directory)",
    )
    parser.add_argument(
        "--watch", action="store_true", help="check again whenever a file changes (needs `devlint[watch]`)"
    )
    add_confidence(add_rules(parser))
    _add_files(parser)
    _add_output(parser)
    _add_fixes(parser)
    _add_baseline(parser)
    configuration = add_configuration(parser)
    configuration.add_argument(
        "--show-settings", action="store_true", help="print the settings for the paths, and exit"
    )
    configuration.add_argument(
        "--show-files", action="store_true", help="print the files that would be checked, and exit"
    )
    _add_speed(parser)


def _add_speed(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("speed")
    group.add_argument(
        "-j", "--jobs", type=_positive, metavar="N", help="number of processes (default: number of cores)"
    )
    group.add_argument(
        "--shard",
        type=_shard,
        metavar="NUMBER/COUNT",
        help="analyze one part of the files, such as 1/8, and write a shard for `devlint report`",
    )
    group.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="analyze files on the workers of a Dask cluster (needs `devlint[dask]`)",
    )
    group.add_argument("--no-cache", action="store_true", help="do not read or write the cache")
    group.add_argument(
        "--cache-dir", metavar="DIR", help=f"cache directory (default: {DIRECTORY_NAME} in the project)"
    )


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


_positive.__name__ = "number of processes"


def _shard(text: str) -> tuple[int, int]:
    number, count = map(int, text.split("/"))
    if not 1 <= number <= count:
        raise ValueError(text)
    return number, count


_shard.__name__ = "number of a shard"


def add_configuration(parser: ArgumentParser) -> ArgumentGroup:
    """Declare the options that choose the configuration."""
    group = parser.add_argument_group("configuration")
    group.add_argument("--config", metavar="FILE", help="use this configuration file for all files")
    group.add_argument("--isolated", action="store_true", help="ignore all configuration files")
    return group


def add_rules(parser: ArgumentParser) -> ArgumentGroup:
    """Declare the options that choose the rules."""
    group = parser.add_argument_group(
        "rules", "CODES is a comma-separated list of rule codes (DL101), prefixes (DL1), or ALL"
    )
    for name, text in (
        ("--select", "turn on these rules instead of the configured ones"),
        ("--extend-select", "turn on these rules in addition"),
        ("--ignore", "turn off these rules"),
    ):
        group.add_argument(name, action=Listed, metavar="CODES", help=text)
    group.add_argument(
        "--per-file-ignores", action=Listed, metavar="PATTERN:CODE", help="turn off a rule in matching files"
    )
    return group


def add_confidence(group: ArgumentGroup) -> None:
    """Declare the lowest confidence that is reported."""
    group.add_argument(
        "--confidence", choices=CONFIDENCES, help="lowest confidence to report (default: likely)"
    )


def _add_files(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("files")
    group.add_argument(
        "--exclude",
        action=Listed,
        metavar="PATTERNS",
        help="exclude these paths instead of the configured ones",
    )
    group.add_argument(
        "--extend-exclude", action=Listed, metavar="PATTERNS", help="exclude these paths in addition"
    )
    group.add_argument(
        "--force-exclude", action=BooleanOptionalAction, help="exclude files even if they are passed as PATH"
    )
    group.add_argument(
        "--respect-gitignore", action=BooleanOptionalAction, help="exclude files that git ignores"
    )
    group.add_argument("--stdin-filename", metavar="NAME", help="file name of standard input")


def _add_output(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("--output-format", choices=list(FORMATS), help="output format (default: full)")
    group.add_argument("-o", "--output-file", metavar="FILE", help="write findings to this file")
    group.add_argument(
        "--statistics",
        action="store_true",
        help="print the number of findings of each rule instead of the findings",
    )
    group.add_argument(
        "--show-silenced", action="store_true", help="also print what was withheld, with the reasons"
    )
    group.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="color the output (default: auto)",
    )
    group.add_argument(
        "--fail-on",
        choices=("error", "warning"),
        default="warning",
        help="lowest severity that makes devlint exit with 1 (default: warning)",
    )
    group.add_argument("--exit-zero", action="store_true", help="exit with 0 even if there are findings")
    group.add_argument("-q", "--quiet", action="store_true", help="print findings and errors only")
    group.add_argument(
        "-v", "--verbose", action="store_true", help="print the traceback of an internal error"
    )


def _add_fixes(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("fixes and suppressions")
    group.add_argument("--fix", action=BooleanOptionalAction, help="apply safe fixes")
    group.add_argument(
        "--unsafe-fixes", action=BooleanOptionalAction, help="also apply unsafe fixes (with --fix)"
    )
    group.add_argument("--show-fixes", action="store_true", help="list the fixes that were applied")
    group.add_argument(
        "--add-ignore", action="store_true", help="add `# devlint: ignore[CODE]` to the line of each finding"
    )
    group.add_argument(
        "--diff", action="store_true", help="print the changes as a patch instead of writing them"
    )


def _add_baseline(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("baseline and changes of a branch")
    group.add_argument("--baseline", metavar="FILE", help="do not report findings that are in FILE")
    group.add_argument(
        "--no-baseline",
        dest="baseline",
        action="store_const",
        const="",
        help="ignore the configured baseline",
    )
    group.add_argument("--write-baseline", metavar="FILE", help="write all findings to FILE, a new baseline")
    group.add_argument(
        "--with-trace",
        metavar="FILE",
        help="compare the findings with a trace of `devlint run --trace`: seen (with count and cost), "
        "contradicted, or not reached; the most expensive first",
    )
    group.add_argument(
        "--diff-base",
        metavar="REV",
        help="report only findings on lines changed since REV, or caused by them",
    )


class Listed(Action):
    """Collects comma-separated values; the option may be repeated."""

    def __call__(
        self,
        parser: object,  # noqa: ARG002
        namespace: Namespace,
        values: object,
        option_string: str | None = None,  # noqa: ARG002
    ) -> None:
        texts = [text.strip() for text in str(values).split(",")]
        known = getattr(namespace, self.dest) or []
        setattr(namespace, self.dest, [*known, *(text for text in texts if text)])


def options(arguments: Namespace) -> Options:
    """The settings on the command line.

    Raises: ConfigurationError: if it names an unknown rule or an invalid pattern.
    """
    options_set = {key: getattr(arguments, setting.field, None) for key, setting in _BY_KEY.items()}
    options_set["per-file-ignores"] = _by_pattern(arguments.per_file_ignores or ()) or None
    values = {}
    for key, value in options_set.items():
        if value is None:
            continue
        try:
            values[_BY_KEY[key].field] = convert(_BY_KEY[key], value, FORMATS)
        except ValueError as error:
            raise ConfigurationError(f"--{key}: {error}") from None
    return Options(**values)  # type: ignore[arg-type]  # `convert` has seen to the types


def _by_pattern(pairs: Iterable[str]) -> dict[str, list[str]]:
    table: dict[str, list[str]] = {}
    for pair in pairs:
        pattern, colon, code = pair.rpartition(":")
        if not (pattern and colon and code):
            raise ConfigurationError(f"--per-file-ignores: `{pair}` is not of the form PATTERN:CODE")
        table.setdefault(pattern, []).append(code)
    return table
