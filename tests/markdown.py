"""Markdown files as test cases: each Python block is one, named after the headings above it."""

from __future__ import annotations

import io
import re
import tokenize
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from markdown_it import MarkdownIt

REVEALED = "revealed:"
ERROR = "error:"
NOTE = "note:"
FOUND = "found:"
_NEXT_COMMENT = re.compile(r"\s+#\s+")
_FURTHER_RULES = re.compile(r"^Rules that are on as well: (?P<rules>.+)\.$", re.MULTILINE)


@dataclass(frozen=True)
class Case:
    """One Python block, with the file's preamble in front of it."""

    file: Path
    headings: tuple[str, ...]
    line: int
    """The line of the Markdown file on which the block's first line of code stands, from 1."""
    preamble: str
    code: str
    rules: frozenset[str] = frozenset()
    """The rules that the file is about, besides those that are always looked at."""
    files: tuple[tuple[str, str], ...] = ()
    """The other files of the program's project: path and text of the blocks before its own that name one."""

    @property
    def name(self) -> str:
        """What pytest shows: `moving_tensors - A tensor is not moved in place`."""
        return " - ".join((self.file.stem, *self.headings))

    @property
    def text(self) -> str:
        """The program that is interpreted."""
        return self.preamble + self.code

    def place(self, line: int) -> str:
        """Where a line of the program stands in the Markdown file."""
        return f"{self.file}:{line - self.preamble.count(chr(10)) + self.line - 1}"

    @cached_property
    def comments(self) -> list[tuple[int, str]]:
        """The comments of the program, each with the line that it is about."""
        return comments_in(self.text)

    @property
    def revealed(self) -> dict[int, str]:
        """What each `reveal_…` call shall show, by line."""
        return {
            line: comment.removeprefix(REVEALED).strip()
            for line, comment in self.comments
            if comment.startswith(REVEALED)
        }

    @property
    def notes(self) -> dict[int, str]:
        """The notes of findings on lines without a finding of their own, by line."""
        return {
            line: comment.removeprefix(NOTE).strip()
            for line, comment in self.comments
            if comment.startswith(NOTE)
        }

    @property
    def errors(self) -> dict[int, list[str]]:
        """What a check shall find on each line, sorted: codes, and how sure they are where that is said."""
        return errors_in(self.text)

    @property
    def found(self) -> dict[int, list[str]]:
        """What a run of the program shall find on each line, sorted: codes, and how often behind an `x`."""
        by_line: dict[int, list[str]] = {}
        for line, comment in self.comments:
            if comment.startswith(FOUND):
                expected = comment.removeprefix(FOUND).split(",")
                by_line.setdefault(line, []).extend(each.strip() for each in expected)
        return {line: sorted(codes) for line, codes in by_line.items()}


def comments_in(text: str) -> list[tuple[int, str]]:
    """The comments of a program, each with the line that it is about.

    A line of code may end in several, `# one  # two`; those that stand alone are about the next line of code.
    """
    lines = text.splitlines()
    found: list[tuple[int, str]] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            about = token.start[0]
            while about < len(lines) and lines[about - 1].lstrip().startswith("#"):
                about += 1
            parts = _NEXT_COMMENT.split(token.string.removeprefix("#"))
            found.extend((about, part.strip()) for part in parts)
    return found


def errors_in(text: str) -> dict[int, list[str]]:
    """What comments such as `# error: [DL101, DL301 possible]` say of the lines of a program."""
    by_line: dict[int, list[str]] = {}
    for line, comment in comments_in(text):
        if comment.startswith(ERROR):
            expected = comment.removeprefix(ERROR).strip().removeprefix("[").removesuffix("]").split(",")
            by_line.setdefault(line, []).extend(each.strip() for each in expected)
    return {line: sorted(codes) for line, codes in by_line.items()}


def cases_in(file: Path) -> list[Case]:
    """All cases of a Markdown file.

    A Python block that stands before the first second-level heading is the file's preamble: it comes before
    every case, and is none itself. A block that names a path behind the language is another file of the next
    case's project.
    """
    text = file.read_text(encoding="utf-8")
    stated = _FURTHER_RULES.search(text)
    rules = frozenset(re.findall(r"DL\d+", stated["rules"])) if stated is not None else frozenset()
    headings: list[str] = []
    preamble = ""
    cases: list[Case] = []
    files: list[tuple[str, str]] = []
    tokens = MarkdownIt().parse(text)
    for position, token in enumerate(tokens):
        if token.type == "heading_open":
            depth = int(token.tag[1:]) - 1
            headings[max(depth - 1, 0) :] = [tokens[position + 1].content] if depth else []
            files = []
        elif token.type == "fence" and token.info.startswith("python "):
            files.append((token.info.removeprefix("python "), token.content))
        elif token.type == "fence" and token.info == "python" and token.map is not None:
            if headings:
                line = token.map[0] + 2
                cases.append(Case(file, tuple(headings), line, preamble, token.content, rules, tuple(files)))
            else:
                preamble += token.content
    return cases
