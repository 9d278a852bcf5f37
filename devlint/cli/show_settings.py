"""The settings for some paths, in the form of a configuration file: `devlint check --show-settings`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from devlint.cli.exit import ExitCode
from devlint.cli.output import output
from devlint.model.visible import visible
from devlint.pipeline.files.shown_path import shown_path
from devlint.project.configuration import Configurations
from devlint.project.selection import compact
from devlint.project.settings import Settings
from devlint.rules import registry


def show(paths: Sequence[str], configurations: Configurations, file: str | None) -> int:
    """Write the settings for each path; paths with the same settings share one block.

    Raises: ConfigurationError: if a configuration file is invalid. OutputError: if the file cannot be
        written.
    """
    here = configurations.working_directory
    found: dict[int, tuple[Settings, list[str]]] = {}
    for path in paths:
        whole = Path(os.path.abspath(here / path))  # noqa: PTH100  # keeps links
        settings = configurations.at(whole if whole.is_dir() else whole.parent)
        found.setdefault(id(settings), (settings, []))[1].append(path)
    with output(file, sys.stdout) as out:
        blocks = (
            "\n".join(map(visible, _lines(settings, names, here))) for settings, names in found.values()
        )
        out.write("\n\n".join(blocks) + "\n")
    return ExitCode.CLEAN


def _lines(settings: Settings, paths: Iterable[str], here: Path) -> Iterator[str]:
    yield f"# Settings for {', '.join(paths)}"
    source = "no configuration file" if settings.source is None else shown_path(settings.source, here)
    yield f"# from {source}; patterns are relative to {settings.root}"
    yield f"select = {_list(compact(settings.rules, registry.codes()))}"
    yield f'confidence = "{settings.confidence}"'
    for patterns in settings.exclude:
        key = "exclude" if patterns is settings.exclude[0] else "extend-exclude"
        yield f"{key} = {_list(patterns.lines)}{_relative_to(patterns.root, settings)}"
    yield f"force-exclude = {_flag(settings.force_exclude)}"
    yield f"respect-gitignore = {_flag(settings.respect_gitignore)}"
    yield f'output-format = "{settings.output_format}"'
    if settings.baseline is not None:
        yield f"baseline = {_text(shown_path(settings.baseline, settings.root))}"
    yield f"own = {_list(settings.own)}"
    yield f"fix = {_flag(settings.fix)}"
    yield f"unsafe-fixes = {_flag(settings.unsafe_fixes)}"
    yield ""
    yield "[per-file-ignores]"
    for patterns, codes in settings.per_file_ignores:
        for line in patterns.lines:
            selectors = _list(compact(codes, registry.codes()))
            yield f"{_text(line)} = {selectors}{_relative_to(patterns.root, settings)}"


def _list(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(_text, texts))}]"


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _flag(flag: bool) -> str:
    return "true" if flag else "false"


def _relative_to(root: Path, settings: Settings) -> str:
    return "" if root == settings.root else f"  # relative to {root}"
