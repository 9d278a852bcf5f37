"""Examining a file as a program, with the cache.

The analysis is imported for the first file that needs it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from devlint.pipeline.analysis.analysis import Analysis, Claim
from devlint.pipeline.session.session import CheckSession
from devlint.pipeline.session.task import FileChange, FileOutcome
from devlint.project.digest import blake2b
from devlint.project.discover import NOTEBOOK_SUFFIX, SourceFile, reason
from devlint.project.own_findings import unreadable

if TYPE_CHECKING:
    from devlint.project.cache import Cache


def examine_files(files: Iterable[tuple[SourceFile, str]], session: CheckSession) -> Iterator[FileOutcome]:
    """Examine files in order; each with its name in reports."""
    for file, name in files:
        yield examine_file(file, name, session)
        session.done(file.path)
    if session.cache is not None:
        session.cache.trim()


def examine_file(file: SourceFile, name: str, session: CheckSession) -> FileOutcome:
    """The outcome of a file as a program. Errors of the file and internal errors are part of it.

    The session's cache is read and updated. An entry has findings of any confidence and in any file, so that
    it serves every threshold and every choice of files.
    """
    try:
        data = session.read(file.path)
    except OSError as error:
        return FileOutcome(name, file, Analysis([Claim(unreadable(name, reason(error)))]))
    cache = cache_of(session)
    known = None if cache is None else _recalled(data, file, name, session, cache)
    if known is not None:
        return known
    from devlint.pipeline.session.file import examine_data  # noqa: PLC0415  # a run that knows all needs none of it

    outcome = examine_data(data, file, name, session)
    outcome.uses = session.dependencies(file.path)
    if session.task.change is not FileChange.NOTHING:
        outcome.examined = digest_of(data)
    if cache is not None:
        keep(outcome, data, file, session, cache)
    return outcome


def keep(outcome: FileOutcome, data: bytes, file: SourceFile, session: CheckSession, cache: Cache) -> None:
    """Store the outcome of a file with this content, unless devlint failed on it."""
    if outcome.failure:
        return
    rules = session.rules(file)
    used = [(path, session.state(path, rules)) for path in sorted(outcome.uses)]
    key, shown = _key(data, file, session, cache), _to_data(outcome.analysis, outcome.path)
    cache.keep(key, shown, str(file.path.parent), used)


def digest_of(data: bytes) -> bytes:
    """A digest of a file's content."""
    return blake2b(data, digest_size=16).digest()


def recall(file: SourceFile, name: str, session: CheckSession, cache: Cache) -> FileOutcome | None:
    """The cached outcome of a file; None if there is none, or the file cannot be read."""
    try:
        data = session.read(file.path)
    except OSError:
        return None
    return _recalled(data, file, name, session, cache)


def cache_of(session: CheckSession) -> Cache | None:
    """The cache, if it can serve the task."""
    plain = session.task.change is FileChange.NOTHING and not session.task.silenced
    return session.cache if plain else None


def _recalled(
    data: bytes, file: SourceFile, name: str, session: CheckSession, cache: Cache
) -> FileOutcome | None:
    rules = session.rules(file)
    key = _key(data, file, session, cache)
    remembered = cache.find(key, str(file.path.parent), lambda path: session.state(path, rules))
    if remembered is None:
        return None
    if not remembered:
        return FileOutcome(name, file)
    from devlint.pipeline.session.cache_entry import from_data  # noqa: PLC0415  # most files show nothing

    try:
        return FileOutcome(name, file, from_data(remembered, name))
    except ValueError:
        return None


def _to_data(analysis: Analysis, name: str) -> list[Any]:
    if not analysis.says_something:
        return []
    from devlint.pipeline.session.cache_entry import to_data  # noqa: PLC0415

    return to_data(analysis, name)


def _key(data: bytes, file: SourceFile, session: CheckSession, cache: Cache) -> str:
    """The key of a file: everything on which its outcome depends."""
    notebook = file.path.suffix == NOTEBOOK_SUFFIX
    return cache.key(data, session.rules(file).own, notebook=notebook)
