"""One file's way: read, check, fix, write. Whatever goes wrong with one file stays with that file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from devlint.pipeline.check import find_all
from devlint.pipeline.document import Document, read_document
from devlint.pipeline.fixed import MAX_PASSES, Fixed, FixError
from devlint.pipeline.session import Session
from devlint.pipeline.task import Change, Outcome
from devlint.project.discover import NOTEBOOK_SUFFIX, SourceFile, reason
from devlint.project.own_findings import unreadable
from devlint.source.unreadable import UnreadableSource

if TYPE_CHECKING:
    from devlint.model import Finding
    from devlint.report import SourceText
    from devlint.source.library import Place

ISSUES = "https://github.com/devlint/devlint/issues"


def check_read(data: bytes, file: SourceFile, name: str, session: Session) -> Outcome:
    """Check a file that holds these bytes, and write it where the session's task says so."""

    def write(document: Document) -> None:
        from devlint.pipeline.write import replace_file  # noqa: PLC0415  # few runs write

        replace_file(file.path, data, document.to_bytes())
        session.changed()

    return check_data(data, file, name, session, write)


def check_data(
    data: bytes,
    file: SourceFile,
    name: str,
    session: Session,
    write: Callable[[Document], None] | None = None,
) -> Outcome:
    """Check what a file holds. `write` is called with the changed document if there is one to be written."""
    outcome = Outcome(name)
    try:
        _check(outcome, data, file, session, write)
    except UnreadableSource as error:
        outcome.findings = [unreadable(name, error.reason, error.line, error.column)]
    except Exception as error:  # whatever devlint gets wrong, the other files are still checked
        import traceback  # noqa: PLC0415  # imported only where something went wrong

        outcome.failure = f"{name}: devlint failed on this file ({_where(error)}). Please report it: {ISSUES}"
        outcome.trace = traceback.format_exc()
    return outcome


def _check(
    outcome: Outcome,
    data: bytes,
    file: SourceFile,
    session: Session,
    write: Callable[[Document], None] | None,
) -> None:
    notebook = file.path.suffix == NOTEBOOK_SUFFIX
    document = read_document(data, outcome.path, notebook=notebook)
    on = file.settings.rules_for(file.path)
    outcome.before = document.text
    try:
        result = _changed(document, outcome.path, on, session, session.place_of(file.path))
        if session.task.write and write is not None and result.document.text != document.text:
            write(result.document)
    except (FixError, OSError, UnreadableSource) as error:
        outcome.failure = f"{outcome.path}: {_refusal(error)}; nothing was changed"
        result = Fixed(document, find_all(document.text, outcome.path, on, session.place_of(file.path)))
    outcome.after = result.document.text
    outcome.changed = result.counts
    outcome.source = result.document.source()
    outcome.findings = _in_cells(result.findings, outcome.source)
    if not result.settled:
        outcome.failure = (
            f"{outcome.path}: fixes still changed it after {MAX_PASSES} passes. Please report it: {ISSUES}"
        )


def _changed(
    document: Document, path: str, on: frozenset[str], session: Session, place: Callable[[], Place]
) -> Fixed:
    match session.task.change:
        case Change.NOTHING:
            return Fixed(document, find_all(document.text, path, on, place))
        case Change.FIX:
            from devlint.pipeline.fix import fix_all  # noqa: PLC0415

            return fix_all(document, path, on, unsafe=session.task.unsafe, place=place)
        case Change.IGNORE:
            from devlint.pipeline.ignore import with_ignores  # noqa: PLC0415

            return with_ignores(document, path, on, place)


def _in_cells(findings: list[Finding], source: SourceText) -> list[Finding]:
    """Findings with places counted within a notebook's cells."""
    return [source.in_cells(finding) for finding in findings] if source.cells else findings


def _refusal(error: FixError | OSError | UnreadableSource) -> str:
    """Why a changed file was not written."""
    match error:
        case FixError():
            return f"{error} (please report it: {ISSUES})"
        case UnreadableSource():
            return f"could not be written: {error.reason}"
        case _:
            return f"could not be written: {reason(error)}"


def _where(error: Exception) -> str:
    """What an exception is and where in devlint it came from, in a few words."""
    import traceback  # noqa: PLC0415

    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "devlint" in Path(frame.filename).parts]
    text = " ".join(str(error).split())[:100]
    kind = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return f"{kind}, {Path(own[-1].filename).name}:{own[-1].lineno}" if own else kind
