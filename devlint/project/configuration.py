"""Reading configuration files: finding the nearest one, and refusing what makes no sense.

`.devlint.toml`, `devlint.toml` and the table `[tool.devlint]` of `pyproject.toml` hold the same settings, the
first of them outranks the others in its directory. For each file that is checked the nearest configuration
upward holds, alone, as with Ruff.
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
    """Configuration that makes no sense. The message is one line: file, key, what is wrong, the way out."""


class Configurations:
    """The settings in force anywhere, by directory.

    `given` is what the command line says; it outranks every file. `formats` are the names of the output
    formats. `file` is the one file that holds everywhere, where one was named; `isolated`, whether none is
    read at all. `default` holds the rules that are on where nobody selects any, if not those that are on by
    default. `in_run` says that they are for a run, not for a check.
    """

    def __init__(
        self,
        given: Options,
        working_directory: Path,
        formats: Collection[str],
        file: Path | None = None,
        isolated: bool = False,
        default: frozenset[str] | None = None,
        in_run: bool = False,
    ) -> None:
        self.given = given
        self.working_directory = working_directory
        self.formats = formats
        self.file = file
        self.isolated = isolated
        self.default = default
        self.in_run = in_run
        self._known: dict[Path, Settings] = {}

    def at(self, directory: Path) -> Settings:
        """The settings for files of one directory, named absolutely.

        Raises:
            ConfigurationError: if a configuration file cannot be read or makes no sense.
        """
        below: list[Path] = []
        while (settings := self._known.get(directory) or self._look_up(directory)) is None:
            below.append(directory)
            directory = directory.parent
        self._known.update(dict.fromkeys((directory, *below), settings))
        return settings

    def _look_up(self, directory: Path) -> Settings | None:
        """The settings that a directory has of its own; None where those of its parent hold."""
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
            self.given,
            self.working_directory,
            self.default,
            source=source,
            in_run=self.in_run,
        )


def read(file: Path, formats: Collection[str]) -> Options | None:
    """What a configuration file says; None if it is absent, or a pyproject.toml without devlint's table.

    Raises:
        ConfigurationError: if it cannot be read or makes no sense.
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
    """A setting's value as `Options` holds it.

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
    # "./dir" is how people write a relative path; in a .gitignore file it would match nothing.
    text = text.removeprefix("./")
    if not is_pattern(text):
        raise ValueError(f"`{text}` is not a path pattern")
    return text


def _package(text: str) -> str:
    if not text.isidentifier():
        raise ValueError(f"`{text}` is not the name under which a package is imported")
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
        # A directory that may not be looked into has no configuration; discovery says that it is closed.
        if not os.path.lexists(file):
            return None
        raise ConfigurationError(f"{file}: cannot be read: {error.strerror}") from None
    if file.name == "pyproject.toml" and b"devlint" not in data:
        return None
    # tomli is the same code under the name that it had before it came into the standard library.
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
    return f"; did you mean `{near[0]}`?" if near else f"; there are {', '.join(sorted(known))}"
