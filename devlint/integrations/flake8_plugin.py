"""The flake8 plugin: devlint's findings among flake8's, by devlint's configuration.

flake8 passes one file at a time, from any number of processes. It applies `select` and `# noqa` after
devlint; it never sees findings that devlint's configuration and comments remove.
"""

from __future__ import annotations

import io
import os
import tokenize
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from devlint.version import __version__

if TYPE_CHECKING:
    import ast
    from argparse import Namespace

    from devlint.pipeline.selection.baseline import Baseline
    from devlint.pipeline.texts.single import Alone
    from devlint.project.settings import Settings


class Plugin:
    """The plugin, which flake8 creates for each file with the parameters that it offers."""

    name = "devlint"
    version = __version__

    def __init__(self, tree: ast.AST, filename: str, lines: Sequence[str]) -> None:  # noqa: ARG002
        """`tree` marks a plugin that runs once for each file; devlint parses the text itself."""
        self._filename = filename
        self._text = "".join(lines)

    @staticmethod
    def parse_options(_: Namespace) -> None:
        """Reject an invalid configuration of the working directory, before any file is checked."""
        from flake8.exceptions import ExecutionError  # noqa: PLC0415  # flake8 has imported it

        from devlint.project.configuration import ConfigurationError  # noqa: PLC0415

        try:
            _checker(Path.cwd())
        except ConfigurationError as error:
            raise ExecutionError(f"devlint: {error}") from None

    def run(self) -> Iterator[tuple[int, int, str, type[Plugin]]]:
        """The findings: line from 1, column from 0, code and message, and the plugin."""
        from devlint.model.visible import visible  # noqa: PLC0415
        from devlint.report.message import message  # noqa: PLC0415

        here = Path.cwd()
        path = Path(os.path.abspath(here / self._filename))  # noqa: PTH100  # keeps links
        data = _bytes_at(path, self._text)
        content = _encoded(self._text) if data is None else data
        for finding in _checker(here).check(path, content, on_disk=data is not None):
            text = f"{finding.code} {visible(message(finding))}"
            yield finding.site.line, finding.site.column - 1, text, type(self)


@lru_cache(maxsize=1)
def _checker(here: Path) -> Alone:
    """The checker of this process. It is created with the first file, because flake8 forks processes."""
    from devlint.pipeline.session.task import Task  # noqa: PLC0415
    from devlint.pipeline.texts.single import Alone  # noqa: PLC0415
    from devlint.project.cache import Cache, default_directory  # noqa: PLC0415
    from devlint.project.configuration import Configurations  # noqa: PLC0415
    from devlint.project.settings import Options  # noqa: PLC0415
    from devlint.report import FORMATS  # noqa: PLC0415

    configurations = Configurations(Options(), here, FORMATS)
    cache = Cache(default_directory(here))
    return Alone(configurations, Task(noqa=False), cache, _baseline(configurations.at(here)))


def _baseline(settings: Settings) -> Baseline | None:
    if settings.baseline is None:
        return None
    from devlint.pipeline.selection.baseline import Baseline  # noqa: PLC0415  # most projects have none
    from devlint.project.baseline import BaselineError, read  # noqa: PLC0415
    from devlint.project.configuration import ConfigurationError  # noqa: PLC0415

    try:
        return Baseline(settings.baseline, read(settings.baseline))
    except BaselineError as error:
        raise ConfigurationError(f"{settings.baseline}: {error}") from None


def _bytes_at(path: Path, text: str) -> bytes | None:
    """The content of a file, if it is this text. (Standard input may have the name of a file.)"""
    from devlint.source.decode import decode  # noqa: PLC0415
    from devlint.source.unreadable import UnreadableSource  # noqa: PLC0415

    try:
        data = path.read_bytes()
        there = decode(data, str(path)).text
    except (OSError, UnreadableSource):
        return None
    same = there.replace("\r\n", "\n").replace("\r", "\n") == text.replace("\r\n", "\n").replace("\r", "\n")
    return data if same else None


def _encoded(text: str) -> bytes:
    """A text in the encoding that it declares."""
    utf_8 = text.encode("utf-8", "surrogatepass")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(utf_8).readline)
        return text.encode(encoding)
    except (SyntaxError, UnicodeError):
        return utf_8
