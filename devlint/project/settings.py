"""The table of all settings, and the settings of a file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from devlint.project.patterns import Patterns
from devlint.project.selection import ALWAYS_ON, RuleSource, choose, expand
from devlint.rules import registry

DEFAULT_EXCLUDE = (
    ".bzr",
    ".direnv",
    ".eggs",
    ".git",
    ".git-rewrite",
    ".hg",
    ".ipynb_checkpoints",
    ".mypy_cache",
    ".nox",
    ".pants.d",
    ".pyenv",
    ".pytest_cache",
    ".pytype",
    ".ruff_cache",
    ".svn",
    ".tox",
    ".venv",
    ".vscode",
    "__pypackages__",
    "_build",
    "buck-out",
    "dist",
    "node_modules",
    "site-packages",
    "venv",
)
"""The default exclusions of Ruff (`ruff check --show-settings`, 0.17)."""


DEFAULT_PER_FILE_IGNORES = MappingProxyType({"**/tests/**": ("DL2", "DL3")})
"""Tests may copy and wait, because they read values to compare them. Replaced by the ignores of any
source."""

CONFIDENCES = ("certain", "likely", "possible")
"""The values of `confidence`, the highest first. What a run has seen is always shown."""


class Type(Enum):
    """The types of settings, in words for messages."""

    SELECTORS = "a list of rule codes"
    PATTERNS = "a list of path patterns"
    SELECTORS_BY_PATTERN = "a table from path patterns to lists of rule codes"
    FLAG = "true or false"
    FORMAT = "the name of an output format"
    CONFIDENCE = "a confidence"
    FILE = "the path of a file"
    NAMES = "a list of names of packages"


class SettingSpec(NamedTuple):
    """One row of the table."""

    key: str
    type: Type
    default: str
    """As in a configuration file; empty if there is none."""

    @property
    def field(self) -> str:
        """Its field in `Options`."""
        return self.key.replace("-", "_")


SETTINGS = (
    SettingSpec("select", Type.SELECTORS, ""),
    SettingSpec("ignore", Type.SELECTORS, "[]"),
    SettingSpec("extend-select", Type.SELECTORS, "[]"),
    SettingSpec("per-file-ignores", Type.SELECTORS_BY_PATTERN, '{ "**/tests/**" = ["DL2", "DL3"] }'),
    SettingSpec("confidence", Type.CONFIDENCE, '"likely"'),
    SettingSpec("exclude", Type.PATTERNS, ""),
    SettingSpec("extend-exclude", Type.PATTERNS, "[]"),
    SettingSpec("force-exclude", Type.FLAG, "false"),
    SettingSpec("respect-gitignore", Type.FLAG, "true"),
    SettingSpec("output-format", Type.FORMAT, '"full"'),
    SettingSpec("baseline", Type.FILE, ""),
    SettingSpec("own", Type.NAMES, "[]"),
    SettingSpec("fix", Type.FLAG, "false"),
    SettingSpec("unsafe-fixes", Type.FLAG, "false"),
)


class Options(NamedTuple):
    """The settings of one source. None and an empty tuple mean that it does not set them."""

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] | None = None
    """An empty table means that nothing is ignored, not even in tests."""
    confidence: str | None = None
    exclude: tuple[str, ...] | None = None
    extend_exclude: tuple[str, ...] = ()
    force_exclude: bool | None = None
    respect_gitignore: bool | None = None
    output_format: str | None = None
    baseline: str | None = None
    """Relative to the directory of the source; empty text means no baseline."""
    own: tuple[str, ...] | None = None
    """Installed packages that count as the program's own code, by the names under which they are imported."""
    fix: bool | None = None
    unsafe_fixes: bool | None = None

    @property
    def layer(self) -> RuleSource:
        """Its rule selection."""
        return RuleSource(self.select, self.ignore, self.extend_select)


class Settings(NamedTuple):
    """The settings that apply to the files of one directory."""

    rules: frozenset[str]
    confidence: str
    """The lowest confidence that is shown, one of `CONFIDENCES`."""
    per_file_ignores: tuple[tuple[Patterns, frozenset[str]], ...]
    exclude: tuple[Patterns, ...]
    force_exclude: bool
    respect_gitignore: bool
    output_format: str
    baseline: Path | None
    """The absolute path of the baseline."""
    own: tuple[str, ...]
    """Installed packages that count as the program's own code in a run."""
    fix: bool
    unsafe_fixes: bool
    root: Path
    """The directory to which the patterns of the configuration file are relative."""
    source: Path | None = None
    """The configuration file that applies, if there is one."""

    def rules_for(self, path: Path) -> frozenset[str]:
        """The codes that are on for the file with this absolute path."""
        off: set[str] = set()
        for patterns, codes in self.per_file_ignores:
            if patterns.match(path):
                off |= codes
        return self.rules - off

    def excludes(self, path: Path, *, is_directory: bool = False) -> bool:
        """Whether an absolute path is excluded."""
        return any(patterns.match(path, is_directory=is_directory) for patterns in self.exclude)

    def sparing(self, directory: Path) -> Settings:
        """These settings without the patterns that exclude a directory that the user passed."""
        return self._replace(exclude=tuple(patterns.sparing(directory) for patterns in self.exclude))


def resolve(
    file: Options,
    file_root: Path,
    cli_options: Options,
    options_root: Path,
    default: frozenset[str] | None = None,
    *,
    source: Path | None = None,
    in_run: bool = False,
) -> Settings:
    """The settings of a configuration file and the command line, which takes precedence.

    Patterns are relative to the root of their source. `default` are the rules that are on if neither source
    selects any, if not the default ones. `source` is the configuration file. In a run (`in_run`), tests have
    no default ignores, because a user who runs them wants their findings.
    """
    codes = registry.codes()
    default = registry.default_codes() if default is None else default
    layers = [(file.per_file_ignores, file_root), (cli_options.per_file_ignores, options_root)]
    if not in_run and all(table is None for table, _ in layers):
        layers = [(DEFAULT_PER_FILE_IGNORES, file_root)]
    ignores = [
        (Patterns(root, (pattern,)), _ignorable(selectors, codes))
        for table, root in layers
        for pattern, selectors in (table or {}).items()
    ]
    merged = _merge(file, cli_options)
    if cli_options.exclude is not None or file.exclude is None:
        exclude = Patterns(
            options_root, DEFAULT_EXCLUDE if cli_options.exclude is None else cli_options.exclude
        )
    else:
        exclude = Patterns(file_root, file.exclude)
    extended = (Patterns(file_root, file.extend_exclude), Patterns(options_root, cli_options.extend_exclude))
    return Settings(
        rules=choose(codes, default, (file.layer, cli_options.layer)),
        confidence=merged.confidence or "likely",
        per_file_ignores=tuple(ignores),
        exclude=(exclude, *(patterns for patterns in extended if patterns.lines)),
        force_exclude=bool(merged.force_exclude),
        respect_gitignore=merged.respect_gitignore is not False,
        output_format=merged.output_format or "full",
        baseline=_baseline(cli_options, options_root)
        if cli_options.baseline is not None
        else _baseline(file, file_root),
        own=merged.own or (),
        fix=bool(merged.fix),
        unsafe_fixes=bool(merged.unsafe_fixes),
        root=file_root,
        source=source,
    )


def _baseline(options: Options, root: Path) -> Path | None:
    return Path(os.path.normpath(root / options.baseline)) if options.baseline else None


def _merge(weaker: Options, stronger: Options) -> Options:
    return Options(*(
        weak if strong in (None, (), {}) else strong for weak, strong in zip(weaker, stronger, strict=True)
    ))  # type: ignore[arg-type]  # fmt: skip


def _ignorable(selectors: tuple[str, ...], codes: tuple[str, ...]) -> frozenset[str]:
    return frozenset().union(*(expand(text, codes) for text in selectors)) - {ALWAYS_ON}
