"""The state that files of a check share: task, cache, and the module graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from devlint.pipeline.analysis.analysis import Rules
from devlint.pipeline.files.shown_path import shown_path
from devlint.pipeline.session.task import Task
from devlint.project.digest import blake2b
from devlint.project.modules import Modules

if TYPE_CHECKING:
    import ast

    from devlint.pipeline.session.leading import Leads
    from devlint.project.cache import Cache
    from devlint.project.discover import SourceFile
    from devlint.project.disk import Disk
    from devlint.source.module_graph import ModuleFile, ModuleGraph


class CheckSession:
    """One check, or the part of it in one process."""

    def __init__(
        self,
        task: Task,
        cache: Cache | None = None,
        files: Iterable[SourceFile] = (),
        directory: Path | None = None,
        drafts: dict[str, bytes] | None = None,
        disk: Disk | None = None,
    ) -> None:
        """`files` are all checked files, in any process. Their names in reports are relative to `directory`.
        Other files are read from `disk`, by default that of this machine.

        `drafts` are contents of files, by path, that are used instead of those on the disk.
        """
        self.task = task
        self.cache = cache
        self.files = tuple(files)
        self.directory = Path.cwd() if directory is None else directory
        self.drafts: dict[str, bytes] = {} if drafts is None else drafts
        self.modules = Modules(self.drafts, disk)
        self._leads: Leads | None = None
        self._rules = {str(file.path): file.settings.rules_for(file.path) for file in self.files}
        self._somewhere = frozenset().union(*set(self._rules.values()))
        self._graph: ModuleGraph | None = None

    def read(self, path: Path) -> bytes:
        """The content of a file.

        Raises:
            OSError: if it cannot be read.
        """
        draft = self.drafts.get(str(path))
        return path.read_bytes() if draft is None else draft

    def draft(self, path: Path, data: bytes | None) -> None:
        """Use other content for a file from now on; None for that on the disk."""
        if data is None:
            self.drafts.pop(str(path), None)
        else:
            self.drafts[str(path)] = data
        self.modules.changed(str(path))
        self._leads = None
        if self._graph is not None:
            self._graph.clear()

    def rules(self, file: SourceFile) -> Rules:
        """The codes that are on in a file, and in the files to which it leads."""
        own = self._rules.get(str(file.path))
        if own is None:
            own = file.settings.rules_for(file.path)
        return Rules(own, self._rules, self._somewhere)

    def state(self, path: str, rules: Rules) -> str:
        """The state of a file on which a result depends: its content, and its settings."""
        state = self.modules.state(path)
        at = rules.at(path)
        return state if at == rules.own else f"{state} {_digest(at)}"

    def name(self, path: str) -> str:
        """The name of a file in reports."""
        return shown_path(Path(path), self.directory)

    def place_of(self, path: Path) -> Callable[[], ModuleFile]:
        """A function that returns the file in the module graph, called only when it is needed."""
        return lambda: self._opened().place(str(path))

    def leads_of(self, path: Path) -> Callable[[bytes, ast.Module], bool]:
        """A function that tells whether a file that does not name torch starts a program that does."""
        return lambda data, tree: self._leading().starts_torch(str(path), data, tree)

    def dependencies(self, path: Path) -> frozenset[str]:
        """The paths of the other files, existing or missing, on which the last result of a file may
        depend."""
        leads = frozenset[str]() if self._leads is None else self._leads.rests_on(str(path))
        return leads if self._graph is None else leads | self._graph.dependencies(str(path))

    def done(self, path: Path) -> None:
        """Drop a file, unless another one needs it."""
        if self._graph is not None:
            self._graph.release(str(path))

    def _leading(self) -> Leads:
        if self._leads is None:
            # A check with a complete cache needs no module graph.
            from devlint.pipeline.session.leading import Leads  # noqa: PLC0415

            self._leads = Leads(self.modules)
        return self._leads

    def _opened(self) -> ModuleGraph:
        if self._graph is None:
            # Importing the abstract machine takes longer than checking most files.
            from devlint.source.module_graph import ModuleGraph  # noqa: PLC0415

            self._graph = ModuleGraph(self.modules)
        return self._graph


def _digest(codes: frozenset[str]) -> str:
    return blake2b(",".join(sorted(codes)).encode(), digest_size=8).hexdigest()
