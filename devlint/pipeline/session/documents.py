"""The texts of files with findings, which are read again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from devlint.pipeline.files.document import Document, read_document
from devlint.pipeline.session.session import CheckSession
from devlint.project.discover import NOTEBOOK_SUFFIX
from devlint.source.unreadable import UnreadableSource

if TYPE_CHECKING:
    from devlint.pipeline.session.task import FileOutcome


def document_of(path: str, name: str, session: CheckSession) -> Document | None:
    """The document at a path; None if it cannot be read, which is then a finding already."""
    try:
        return read_document(session.read(Path(path)), name, notebook=path.endswith(NOTEBOOK_SUFFIX))
    except (OSError, UnreadableSource):
        return None


def document_for(outcome: FileOutcome, session: CheckSession) -> Document | None:
    """The document of a file that was checked."""
    return None if outcome.file is None else document_of(str(outcome.file.path), outcome.path, session)
