"""The files for the measurements."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from pathlib import Path

from devlint.source.decode import decode
from devlint.source.screen import may_matter
from devlint.source.unreadable import UnreadableSource

HOW_TO_GET_ONE = (
    "name a directory of Python files that use torch: the site-packages of an environment, or what "
    "`python -m tests.benchmarks.fetch_corpus DIRECTORY` downloads"
)

_IMPORTS_TORCH = re.compile(rb"^[ \t]*(?:from|import)[ \t]+torch\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Program:
    """One file, in memory."""

    path: Path
    data: bytes
    text: str

    @property
    def imports_torch(self) -> bool:
        """Whether it imports torch anywhere, and devlint does not skip it."""
        return _IMPORTS_TORCH.search(self.data) is not None and may_matter(self.data)

    @property
    def lines(self) -> int:
        """How many lines it has."""
        return len(self.data.splitlines())


def read(directory: Path, most: int | None, seed: int) -> list[Program]:
    """The readable Python files below a directory, all or `most` chosen at random, in the order of paths."""
    paths = sorted(path for path in directory.rglob("*.py") if path.is_file())
    if most is not None and most < len(paths):
        paths = sorted(random.Random(seed).sample(paths, most))
    programs: list[Program] = []
    for path in paths:
        data = path.read_bytes()
        try:
            programs.append(Program(path, data, decode(data, str(path)).text))
        except UnreadableSource:
            continue
    return programs
