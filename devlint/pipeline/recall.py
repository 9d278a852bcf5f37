"""The way to a file's findings: what is remembered, or else what is found anew.

What finds them is imported for the first file that needs it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from devlint.pipeline.session import Session
from devlint.pipeline.task import Change, Outcome
from devlint.project.discover import NOTEBOOK_SUFFIX, SourceFile, reason
from devlint.project.own_findings import unreadable
from devlint.source.flow.evidence.purposes import purpose_of

if TYPE_CHECKING:
    from devlint.model import Finding
    from devlint.project.cache import Cache


def check_files(files: Iterable[tuple[SourceFile, str]], session: Session) -> Iterator[Outcome]:
    """Check files one after the other; each goes by a name in reports."""
    for file, name in files:
        yield check_file(file, name, session)
        session.done(file.path)
    if session.cache is not None:
        session.cache.trim()


def check_file(file: SourceFile, name: str, session: Session) -> Outcome:
    """Check one file. Raises nothing that is the file's fault or devlint's.

    The session's cache may know what was found in such a file before, and is told what is found.
    """
    try:
        data = file.path.read_bytes()
    except OSError as error:
        return Outcome(name, [unreadable(name, reason(error))])
    cache = session.cache
    if cache is None or session.task.change is not Change.NOTHING:
        return _check_anew(data, file, name, session)
    key = _key(data, file, name, cache)
    found = cache.find(key, name, str(file.path), session.modules)
    if found is not None:
        return _recalled(data, file, name, found)
    outcome = _check_anew(data, file, name, session)
    if not outcome.failure:
        used = session.modules.states(session.dependencies(file.path))
        cache.keep(key, outcome.findings, str(file.path), used)
    return outcome


def recall(file: SourceFile, name: str, session: Session, cache: Cache) -> Outcome | None:
    """What came of such a file before; None if it is not known, or cannot be read."""
    try:
        data = file.path.read_bytes()
    except OSError:
        return None
    found = cache.find(_key(data, file, name, cache), name, str(file.path), session.modules)
    return None if found is None else _recalled(data, file, name, found)


def _key(data: bytes, file: SourceFile, name: str, cache: Cache) -> str:
    """What the answer depends on: of the name, what it says the file is for."""
    notebook = file.path.suffix == NOTEBOOK_SUFFIX
    rules = file.settings.rules_for(file.path)
    return cache.key(data, rules, purpose_of(name), notebook=notebook)


def _check_anew(data: bytes, file: SourceFile, name: str, session: Session) -> Outcome:
    from devlint.pipeline.file import check_read  # noqa: PLC0415  # a run that knows all needs none of it

    return check_read(data, file, name, session)


def _recalled(data: bytes, file: SourceFile, name: str, findings: list[Finding]) -> Outcome:
    """What came of a file whose findings are known."""
    outcome = Outcome(name, findings)
    if findings:
        from devlint.pipeline.document import read_document  # noqa: PLC0415  # most files have none
        from devlint.source.unreadable import UnreadableSource  # noqa: PLC0415

        with suppress(UnreadableSource):  # which then is what was found
            notebook = file.path.suffix == NOTEBOOK_SUFFIX
            outcome.source = read_document(data, name, notebook=notebook).source()
    return outcome
