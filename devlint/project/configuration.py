"""Reading configuration files: finding the nearest one, and validating it.

`.devlint.toml`, `devlint.toml` and the table `[tool.devlint]` of `pyproject.toml` have the same settings; in
one directory, the first of them takes precedence. For each checked file, only the nearest configuration
upward applies, as in Ruff.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection
from importlib import import_module
from pathlib import Path
from typing import Any

from devlint.project.content import read_regular
from devlint.project.patterns import is_pattern
from devlint.project.selection import ALWAYS_ON, SelectorError, check_selector
from devlint.project.settings import CONFIDENCES, SETTINGS, Options, Settings, SettingSpec, Type, resolve
from devlint.rules import registry

FILE_NAMES = (".devlint.toml", "devlint.toml", "pyproject.toml")


class ConfigurationError(Exception):
    """An invalid configuration. The message is one line: file, key, error, remedy."""


class Configurations:
    """The settings that apply in each directory.

    `cli_options` are those of the command line, which take precedence over every file. `formats` are the
    names of the output formats. `file` is the one configuration file to use, if given; with `isolated`, none
    is read. `default` are the rules that are on without a selection, if not the default ones. `in_run` means
    that the settings are for a run, not for a check.
    """

    def __init__(
        self,
        cli_options: Options,
        working_directory: Path,
        formats: Collection[str],
        file: Path | None = None,
        isolated: bool = False,
        default: frozenset[str] | None = None,
        in_run: bool = False,
    ) -> None:
        self.cli_options = cli_options
        self.working_directory = working_directory
        self.formats = formats
        self.file = file
        self.isolated = isolated
        self.default = default
        self.in_run = in_run
        self._known: dict[Path, Settings] = {}

    def at(self, directory: Path) -> Settings:
        """The settings for the files of one directory, an absolute path.

        Raises: ConfigurationError: if a configuration file cannot be read or is invalid.
        """
        below: list[Path] = []
        while (settings := self._known.get(directory) or self._look_up(directory)) is None:
            below.append(directory)
            directory = directory.parent
        self._known.update(dict.fromkeys((directory, *below), settings))
        return settings

    def _look_up(self, directory: Path) -> Settings | None:
        """The settings of a directory itself; None if those of its parent apply."""
        if self.isolated:
            return self._resolve(Options(), self.working_directory)
        if self.file is not None:
            return self._resolve(_require(self.file, self.formats), self.working_directory, self.file)
        for name in FILE_NAMES:
            options = read(directory / name, self.formats)
            if options is not None:
                return self._resolve(options, directory, directory / name)
        if directory == directory.parent:
            return self._resolve(Options(), self.working_directory)
        return None

    def _resolve(self, options: Options, root: Path, source: Path | None = None) -> Settings:
        return resolve(
            options,
            root,
            self.cli_options,
            self.working_directory,
            self.default,
            source=source,
            in_run=self.in_run,
        )


def read(file: Path, formats: Collection[str]) -> Options | None:
    """The options in a configuration file; None if it is absent, or a pyproject.toml without devlint's table.

    Raises: ConfigurationError: if it cannot be read or is invalid.
    """
    document = _load(file)
    if document is None:
        return None
    table: Any = document
    prefix = ""
    if file.name == "pyproject.toml":
        tool = document.get("tool")
        table = tool.get("devlint") if isinstance(tool, dict) else None
        prefix = "tool.devlint."
        if table is None:
            return None
    if not isinstance(table, dict):
        raise ConfigurationError(f"{file}: `tool.devlint` must be a table")
    by_key = {setting.key: setting for setting in SETTINGS}
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in by_key:
            raise ConfigurationError(
                f"{file}: `{prefix}{key}` is not a setting of devlint{_suggest(key, by_key)}"
            )
        try:
            values[by_key[key].field] = convert(by_key[key], value, formats)
        except ValueError as error:
            raise ConfigurationError(f"{file}: `{prefix}{key}`: {error}") from None
    return Options(**values)


def convert(setting: SettingSpec, value: object, formats: Collection[str]) -> object:
    """The value of a setting as in `Options`.

    Raises:
        ValueError: if it has the wrong type or names something unknown; the message says which.
    """
    match setting.type:
        case Type.SELECTORS:
            return _selectors(value, setting.type, turns_off=setting.key == "ignore")
        case Type.PATTERNS:
            return tuple(_pattern(text) for text in _strings(value, setting.type))
        case Type.SELECTORS_BY_PATTERN:
            if not isinstance(value, dict):
                raise ValueError(f"must be {setting.type.value}")  # noqa: TRY004  # one kind of error for all
            return {
                _pattern(pattern): _selectors(codes, Type.SELECTORS, turns_off=True)
                for pattern, codes in value.items()
            }
        case Type.FLAG:
            return _checked(value, setting.type, lambda flag: isinstance(flag, bool))
        case Type.FORMAT:
            text = _checked(value, setting.type, lambda name: isinstance(name, str))
            if text not in formats:
                known = ", ".join(sorted(formats))
                raise ValueError(f"unknown output format `{text}`; choose from {known}")
            return text
        case Type.CONFIDENCE:
            text = _checked(value, setting.type, lambda name: isinstance(name, str))
            if text not in CONFIDENCES:
                raise ValueError(f"unknown confidence `{text}`; choose from {', '.join(CONFIDENCES)}")
            return text
        case Type.NAMES:
            return tuple(_package(text) for text in _strings(value, setting.type))
        case Type.FILE:
            return _checked(value, setting.type, lambda name: isinstance(name, str) and "\0" not in name)


def _selectors(value: object, type_: Type, *, turns_off: bool) -> tuple[str, ...]:
    texts = _strings(value, type_)
    for text in texts:
        try:
            check_selector(text, registry.codes())
        except SelectorError as error:
            raise ValueError(str(error)) from None
        if turns_off and text == ALWAYS_ON:
            raise ValueError(
                f"{ALWAYS_ON} cannot be turned off; exclude the files that cannot be read instead"
            )
    return texts


def _strings(value: object, type_: Type) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"must be {type_.value}")
    return tuple(value)


def _pattern(text: str) -> str:
    # People write relative paths as "./dir", which matches nothing in a .gitignore file.
    text = text.removeprefix("./")
    if not is_pattern(text):
        raise ValueError(f"`{text}` is not a path pattern")
    return text


def _package(text: str) -> str:
    if not text.isidentifier():
        raise ValueError(f"`{text}` is not the import name of a package")
    return text


def _checked(value: object, type_: Type, accepts: Callable[[Any], object]) -> object:
    if not accepts(value):
        raise ValueError(f"must be {type_.value}")
    return value


def _require(file: Path, formats: Collection[str]) -> Options:
    options = read(file, formats)
    if options is None:
        raise ConfigurationError(f"{file}: {_why_absent(file)}")
    return options


def _why_absent(file: Path) -> str:
    try:
        file.stat()
    except (FileNotFoundError, NotADirectoryError):
        return "does not exist"
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    return "has no table `[tool.devlint]`"


def _load(file: Path) -> dict[str, Any] | None:
    try:
        data = read_regular(file)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        # An unreadable directory has no configuration; discovery reports it.
        if not os.path.lexists(file):
            return None
        raise ConfigurationError(f"{file}: cannot be read: {error.strerror}") from None
    if file.name == "pyproject.toml" and b"devlint" not in data:
        return None
    # tomli is the package that became `tomllib` of the standard library.
    toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    try:
        document: dict[str, Any] = toml.loads(data.decode())
    except ValueError as error:  # TOMLDecodeError and UnicodeDecodeError are of this kind
        raise ConfigurationError(f"{file}: is not valid TOML: {error}") from None
    except RecursionError:
        raise ConfigurationError(f"{file}: is nested too deeply to be read") from None
    return document


def _suggest(key: str, known: Collection[str]) -> str:
    import difflib  # noqa: PLC0415  # only a refusal needs it

    near = difflib.get_close_matches(key.replace("_", "-"), sorted(known), n=1)
    return f"; did you mean `{near[0]}`?" if near else f"; choose from {', '.join(sorted(known))}"
