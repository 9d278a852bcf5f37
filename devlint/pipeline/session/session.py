"""What is kept from one file of a run to the next: task, cache, and what the files know of each other."""

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
    from devlint.source.library import Library, LibraryFile


class CheckSession:
    """One run, or the part of it that one process has."""

    def __init__(
        self,
        task: Task,
        cache: Cache | None = None,
        files: Iterable[SourceFile] = (),
        directory: Path | None = None,
        drafts: dict[str, bytes] | None = None,
        disk: Disk | None = None,
    ) -> None:
        """`files` are all that are checked, in whatever process. Reports name them from the `directory`.
        Other files are looked for on the `disk`, this machine's where none is given.

        `drafts` are the contents of files, by path, that count instead of what lies on the disk.
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
        self._library: Library | None = None

    def read(self, path: Path) -> bytes:
        """What a file holds.

        Raises:
            OSError: if it cannot be read.
        """
        draft = self.drafts.get(str(path))
        return path.read_bytes() if draft is None else draft

    def draft(self, path: Path, data: bytes | None) -> None:
        """Let a file hold something else from now on; None for what lies on the disk."""
        if data is None:
            self.drafts.pop(str(path), None)
        else:
            self.drafts[str(path)] = data
        self.modules.changed(str(path))
        self._leads = None
        if self._library is not None:
            self._library.clear()

    def rules(self, file: SourceFile) -> Rules:
        """The codes that are on in a file, and in those to which it leads."""
        own = self._rules.get(str(file.path))
        if own is None:
            own = file.settings.rules_for(file.path)
        return Rules(own, self._rules, self._somewhere)

    def state(self, path: str, rules: Rules) -> str:
        """What an answer rests on that rests on a file: what that holds, and what is said of it."""
        state = self.modules.state(path)
        at = rules.at(path)
        return state if at == rules.own else f"{state} {_digest(at)}"

    def name(self, path: str) -> str:
        """A file as reports name it."""
        return shown_path(Path(path), self.directory)

    def place_of(self, path: Path) -> Callable[[], LibraryFile]:
        """The way to a file's place among the others, for when it turns out to matter."""
        return lambda: self._opened().place(str(path))

    def leads_of(self, path: Path) -> Callable[[bytes, ast.Module], bool]:
        """The way to learn of a file that does not name torch whether it starts what does."""
        return lambda data, tree: self._leading().starts_torch(str(path), data, tree)

    def dependencies(self, path: Path) -> frozenset[str]:
        """The paths of the other files, there or not, on which may depend what was just found in a file."""
        leads = frozenset[str]() if self._leads is None else self._leads.rests_on(str(path))
        return leads if self._library is None else leads | self._library.dependencies(str(path))

    def done(self, path: Path) -> None:
        """Forget what a file was, if no other one needs it."""
        if self._library is not None:
            self._library.release(str(path))

    def _leading(self) -> Leads:
        if self._leads is None:
            # A run that knows all from before needs none of it.
            from devlint.pipeline.session.leading import Leads  # noqa: PLC0415

            self._leads = Leads(self.modules)
        return self._leads

    def _opened(self) -> Library:
        if self._library is None:
            # The interpreter takes longer to import than most files take to check.
            from devlint.source.library import Library  # noqa: PLC0415

            self._library = Library(self.modules)
        return self._library


def _digest(codes: frozenset[str]) -> str:
    return blake2b(",".join(sorted(codes)).encode(), digest_size=8).hexdigest()
