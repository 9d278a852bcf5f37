"""Hooks of MkDocs that build a site from the pages.

The pages are also read in the repository, and link to its files. Pages at the root of the repository become
pages of the site. Links to other files outside of `docs` lead to the URL of the repository, if it has one.
"""

from __future__ import annotations

import logging
import os
import re
from pathlib import Path, PurePosixPath
from typing import Any

from mkdocs.structure.files import File

from devlint.rules import registry

_AT_ROOT = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
"""Pages at the root of the repository, and their names on the site."""
_LINK = re.compile(r"(?P<text>\[[^\]]*\])\((?P<target>[^)#\s:]+)(?P<anchor>#[^)\s]*)?\)")
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_log = logging.getLogger("mkdocs.plugins.site")  # `--strict` counts the warnings of this logger


def on_files(files: Any, config: Any) -> Any:
    """Add the pages at the root of the repository."""
    for name, page in _AT_ROOT.items():
        text = (_root(config) / name).read_text("utf-8")
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:  # noqa: ARG001
    """Replace the links of a page by those of the site."""
    by_page = {page: name for name, page in _AT_ROOT.items()}
    own = page.file.src_uri
    source = PurePosixPath(by_page.get(own) or f"docs/{own}")

    def led(match: re.Match[str]) -> str:
        target = _target(match["target"], source, own, config)
        return match["text"][1:-1] if target is None else f"{match['text']}({target}{match['anchor'] or ''})"

    parts: list[str] = []
    at = 0
    for fence in _FENCE.finditer(markdown):
        parts += (_LINK.sub(led, markdown[at : fence.start()]), fence[0])
        at = fence.end()
    return "".join((*parts, _LINK.sub(led, markdown[at:])))


def _target(target: str, source: PurePosixPath, own: str, config: Any) -> str | None:
    """The target of a link on the site; None for a file of the repository, if that has no URL."""
    there = os.path.normpath(source.parent / target)
    if there in _AT_ROOT:
        return _relative(_AT_ROOT[there], own)
    if there.startswith("docs/"):
        return _relative(there.removeprefix("docs/"), own)
    path = _root(config) / there
    if not path.exists():
        _log.warning("%s: links to %s, which does not exist", source, there)
    kind = "tree" if path.is_dir() else "blob"
    return None if registry.HOME is None else f"{registry.HOME}/{kind}/main/{there}"


def _relative(page: str, own: str) -> str:
    return os.path.relpath(page, PurePosixPath(own).parent)


def _root(config: Any) -> Path:
    return Path(config.config_file_path).parent
