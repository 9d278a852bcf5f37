"""Running the code cells of a notebook in order, in one namespace, as a kernel does."""

from __future__ import annotations

import ast
import linecache
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from devlint.runtime.launch.program import prepare


@dataclass(frozen=True, slots=True)
class NotebookProgram:
    """The code cells of a notebook as one text, to which all places refer."""

    path: str
    arguments: tuple[str, ...]
    text: str
    starts: Sequence[int]
    """The offset at which each cell starts."""

    def prepare(self) -> None:
        """Put the notebook's directory first in `sys.path`."""
        prepare((self.path, *self.arguments), os.path.dirname(os.path.realpath(self.path)))  # noqa: PTH120
        # The interpreter's hook would read lines from the file, which is JSON.
        sys.excepthook = traceback.print_exception

    def load(self) -> Callable[[], object]:
        """Each cell is read and run when those before it have run; its last expression's value is shown."""
        return self._run

    def _run(self) -> None:
        path = os.path.abspath(self.path)  # noqa: PTH100
        lines = self.text.splitlines(keepends=True)
        linecache.cache[path] = (len(self.text), None, lines, path)
        namespace = vars(sys.modules["__main__"])
        for start, end in zip(self.starts, [*self.starts[1:], len(self.text)], strict=True):
            # Empty lines before it keep its line numbers those of the whole text.
            cell = ast.parse("\n" * self.text.count("\n", 0, start) + self.text[start:end], path)
            shown = cell.body.pop() if cell.body and isinstance(cell.body[-1], ast.Expr) else None
            exec(compile(cell, path, "exec", dont_inherit=True), namespace)
            if shown is not None:
                assert isinstance(shown, ast.Expr)
                exec(compile(ast.Interactive([shown]), path, "single", dont_inherit=True), namespace)
