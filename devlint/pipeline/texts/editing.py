"""Checking documents while they are edited: their text is used, not that on the disk."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from devlint.pipeline.analysis.analysis import Analysis, Claim
from devlint.pipeline.analysis.text import examine
from devlint.pipeline.files.document import Document, read_document
from devlint.pipeline.session.findings import settle
from devlint.pipeline.session.session import CheckSession
from devlint.pipeline.session.task import FileOutcome, Task
from devlint.project.configuration import Configurations
from devlint.project.discover import SourceFile
from devlint.project.own_findings import unreadable
from devlint.rules import wording
from devlint.source.unreadable import UnreadableSource

if TYPE_CHECKING:
    from devlint.model import Finding, Operand, Site
    from devlint.source import Observation


class CancelledError(Exception):
    """The document changed meanwhile, so that the result is not needed any more."""


class NamedOperand:
    """An operand in a document, with its origin."""

    def __init__(self, operand: Operand, site: Site, observation: Observation) -> None:
        self.operand = operand
        self.site = site
        self._observation = observation

    @cached_property
    def history(self) -> list[tuple[str, Site]]:
        """The steps of its origin, with their places."""
        notes = wording.history(self.operand)
        located = self._observation.locate({note.site for note in notes})
        return [(note.message, located.site(note.site)) for note in notes]


class Checked:
    """The findings and operands of one version of a document."""

    def __init__(
        self, document: Document, findings: list[Finding], observation: Observation | None = None
    ) -> None:
        self.document = document
        self.findings = findings
        self._observation = observation

    @cached_property
    def placed(self) -> list[NamedOperand]:
        """The operands in the document, in order."""
        observation = self._observation
        if observation is None:
            return []
        own = {
            site: operands for site, operands in observation.whereabouts.items() if not observation.home(site)
        }
        located = observation.locate(own)
        found = [
            NamedOperand(operand, located.site(site), observation)
            for site, operands in own.items()
            for operand in operands
        ]
        return sorted(found, key=lambda each: (each.site.start, each.site.end))

    def at(self, offset: int) -> list[NamedOperand]:
        """The operands of the shortest expression at an offset; several if it differs by path."""
        around = [each for each in self.placed if each.site.start <= offset <= each.site.end]
        if not around:
            return []
        extent = min((each.site.end - each.site.start, each.site.start) for each in around)
        return [each for each in around if (each.site.end - each.site.start, each.site.start) == extent]


class Editing:
    """The open documents of a workspace."""

    def __init__(self, configurations: Configurations) -> None:
        self._configurations = configurations
        self._texts: dict[str, bytes] = {}
        self._latest: Path | None = None
        self._begin()

    def _begin(self) -> None:
        directory = self._configurations.working_directory
        self._session = CheckSession(Task(), directory=directory, drafts=self._texts)

    def put(self, path: Path, text: str) -> None:
        """Set the text of a document."""
        self._texts[str(path)] = text.encode("utf-8", "surrogatepass")
        if self._latest not in (None, path):
            self.forget()  # the other one may lead to this document
        self._latest = path

    def drop(self, path: Path) -> None:
        """Close a document: the file on the disk is used again."""
        self._texts.pop(str(path), None)
        self.forget()

    def forget(self) -> None:
        """Drop all cached files, because files may have changed on the disk."""
        self._begin()

    def check(self, path: Path, is_stale: Callable[[], bool]) -> Checked:
        """Check the present text of a document.

        Raises: CancelledError: as soon as the answer is known to be stale. ConfigurationError: if its
            configuration is invalid.
        """
        settings = self._configurations.at(path.parent)
        session = self._session
        name = session.name(str(path))
        try:
            document = read_document(session.read(path), name, notebook=False)
        except UnreadableSource as error:
            return Checked(Document("", lambda *_: b""), [unreadable(name, error.reason)])
        if settings.excludes(path):
            return Checked(document, [])
        file = SourceFile(path, settings)
        outcome, observation = self._observed(document, file, name, is_stale)
        settle([outcome], session)
        outcome.show(settings.confidence)
        if str(path) in session.dependencies(path):
            self.forget()  # it may import its own previous version
        return Checked(document, outcome.findings, observation)

    def _observed(
        self, document: Document, file: SourceFile, name: str, is_stale: Callable[[], bool]
    ) -> tuple[FileOutcome, Observation | None]:
        # Importing the abstract machine takes longer than checking most documents.
        from devlint.source import observe  # noqa: PLC0415
        from devlint.source.machine.interprocedural.watching import Whereabouts  # noqa: PLC0415

        class CancellableWhereabouts(Whereabouts):
            """Records the devices of values, unless the result is stale."""

            def note(self, *seen: Any) -> None:
                if is_stale():
                    raise CancelledError
                super().note(*seen)

        made: list[Observation] = []

        def observer(text: str, path: str, **how: Any) -> Observation:
            made.append(observe(text, path, watch=CancellableWhereabouts(), **how))
            return made[0]

        session = self._session
        try:
            rules, place = session.rules(file), session.place_of(file.path)
            leads = session.leads_of(file.path)
            analysis = examine(document.text, name, rules, place, leads=leads, observer=observer)
        except UnreadableSource as error:
            analysis = Analysis([Claim(unreadable(name, error.reason, error.line, error.column))])
        return FileOutcome(name, file, analysis), made[0] if made else None
