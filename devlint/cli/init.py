"""Write `devlint.toml` with every setting, commented out, and print a pre-commit hook."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from devlint.cli.exit import ExitCode
from devlint.cli.output import say
from devlint.project.configuration import FILE_NAMES, ConfigurationError, read
from devlint.project.discover import reason
from devlint.project.settings import SETTINGS
from devlint.report import FORMATS

NAME = "devlint.toml"

MEANINGS = {
    "select": "Rules that are on: codes (DL101), prefixes (DL1) or ALL. Default: see docs/rules.",
    "ignore": "Rules that are off.",
    "extend-select": "Rules that are on in addition.",
    "per-file-ignores": "Rules that are off in files whose path matches a pattern.",
    "confidence": "The lowest confidence that is reported: certain, likely or possible.",
    "exclude": "Paths that are not checked. Default: folders of tools and environments, such as .venv.",
    "extend-exclude": "Paths that are not checked in addition.",
    "force-exclude": "Exclude files even if they are passed on the command line, as pre-commit does.",
    "respect-gitignore": "Exclude files that git ignores.",
    "output-format": f"One of {', '.join(FORMATS)}.",
    "baseline": "A file of known findings, which are not reported; `--write-baseline` creates it.",
    "fix": "Apply safe fixes.",
    "unsafe-fixes": "Apply unsafe fixes as well.",
    "own": "Installed packages that count as the program's own code in a run, by the names that import them.",
}
"""The meaning of each setting."""
EXAMPLES = {"select": '["DL1", "DL2", "DL3"]', "exclude": '[".venv", "build"]', "baseline": '"known.json"'}
"""Example values of settings whose default is not a literal."""

HOOK = """\
To run devlint before each commit, add this to .pre-commit-config.yaml:

  - repo: REPOSITORY  # the URL or path of a clone of devlint
    rev: COMMIT
    hooks:
      - id: devlint
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare all options: none."""
    del parser


def run(arguments: Namespace) -> int:
    """Write the file, unless the directory already has a configuration of devlint."""
    del arguments
    try:
        for name in FILE_NAMES:
            if read(Path(name), FORMATS) is not None:
                say(f"error: {name} configures devlint already; nothing was written")
                return ExitCode.BAD_USE
        with Path(NAME).open("x", encoding="utf-8") as file:
            file.write(template())
    except ConfigurationError as error:
        say(f"error: {error}")
        return ExitCode.BAD_USE
    except OSError as error:
        say(f"error: {NAME}: {reason(error)}")
        return ExitCode.BAD_USE
    print(f"Wrote {NAME}.\n\n{HOOK}", end="")  # noqa: T201
    return ExitCode.CLEAN


def template() -> str:
    """Every setting with its meaning and default, commented out."""
    blocks = [
        f"# {MEANINGS[setting.key]}\n# {setting.key} = {setting.default or EXAMPLES[setting.key]}\n"
        for setting in SETTINGS
    ]
    return "\n".join(
        ("# Settings of devlint. Remove the `# ` in front of a setting to change it.\n", *blocks)
    )
