"""Examining one file. An error in one file does not affect others."""

from __future__ import annotations

from devlint.pipeline.analysis.analysis import Analysis, Claim
from devlint.pipeline.analysis.text import examine
from devlint.pipeline.files.document import read_document
from devlint.pipeline.session.session import CheckSession
from devlint.pipeline.session.task import FileOutcome
from devlint.project.discover import NOTEBOOK_SUFFIX, SourceFile
from devlint.project.own_findings import unreadable
from devlint.source.unreadable import UnreadableSource


def examine_data(data: bytes, file: SourceFile, name: str, session: CheckSession) -> FileOutcome:
    """The outcome of a file with this content, and this name in reports."""
    outcome = FileOutcome(name, file)
    try:
        document = read_document(data, name, notebook=file.path.suffix == NOTEBOOK_SUFFIX)
        place, rules = session.place_of(file.path), session.rules(file)
        outcome.analysis = examine(
            document.text,
            name,
            rules,
            place,
            leads=session.leads_of(file.path),
            silenced=session.task.silenced,
        )
    except UnreadableSource as error:
        outcome.analysis = Analysis([Claim(unreadable(name, error.reason, error.line, error.column))])
    except Exception as error:  # after an internal error, the other files are still checked
        import traceback  # noqa: PLC0415  # imported only where something went wrong

        from devlint.pipeline.files.failure import REPORT, where  # noqa: PLC0415

        outcome.failure = f"{name}: devlint failed on this file ({where(error)}); {REPORT}"
        outcome.trace = traceback.format_exc()
    return outcome
