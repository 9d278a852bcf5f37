"""Markdown files as cases of `devlint port`: programs before and after, and what stays.

Under each heading stand the files of a program. A block of `python train.py` is a file as it is written, one
of `python train.py ported` is what it becomes; a file without such a block stays. A block of `text left` has
the places that stay, with their reasons; such a program is not run.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from markdown_it import MarkdownIt

FOLDER = Path(__file__).parent


@dataclass(slots=True)
class Case:
    """One program."""

    name: str
    before: dict[str, str] = field(default_factory=dict)
    ported: dict[str, str] = field(default_factory=dict)
    left: str = ""

    @property
    def after(self) -> dict[str, str]:
        """All files, as they are to be."""
        return {**self.before, **self.ported}

    @property
    def start(self) -> str:
        """The file that is run: the last one that is written."""
        return list(self.before)[-1]


def cases() -> list[Case]:
    """All cases of this folder."""
    return [case for path in sorted(FOLDER.glob("*.md")) for case in _read(path)]


def _read(path: Path) -> list[Case]:
    found: list[Case] = []
    tokens = MarkdownIt().parse(path.read_text("utf-8"))
    for token, following in zip(tokens, [*tokens[1:], *tokens[-1:]], strict=True):
        if token.type == "heading_open" and token.tag == "h2":
            found.append(Case(f"{path.stem} - {following.content}"))
        elif token.type == "fence":
            _add(found[-1], token.info.split(), token.content)
    return found


def _add(case: Case, info: list[str], content: str) -> None:
    match info:
        case ["python", name]:
            case.before[name] = content
        case ["python", name, "ported"]:
            case.ported[name] = content
        case ["text", "left"]:
            case.left = content
        case _:
            raise ValueError(f"{case.name}: what is a block of `{' '.join(info)}`?")
