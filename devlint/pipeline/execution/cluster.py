"""Examining files on the workers of a Dask cluster, which share no disk with this machine."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from devlint.pipeline.execution.parcel import Answer, Parcel, WrongReleaseError, examine_parcel
from devlint.pipeline.session.examine import cache_of, examine_files, keep
from devlint.pipeline.session.session import CheckSession
from devlint.pipeline.session.task import FileOutcome
from devlint.project.configuration import ConfigurationError
from devlint.project.discover import SourceFile
from devlint.project.disk import DIRECTORY, FILE
from devlint.project.imports import imported
from devlint.version import __version__

if TYPE_CHECKING:
    from concurrent.futures import Executor

Named = tuple[SourceFile, str]

_SIZE = 64 << 10
"""Bytes of source in a parcel, without the imported files."""
_ALONG = 2 << 20
"""The most bytes of imported files in a parcel; missing files are sent when they turn out to matter."""
_TURNS = 4
"""How often a file is sent, each time with the files that were missing. Then it is examined locally."""
_WAITING = 64
"""How many parcels the cluster has at a time, because waiting parcels take memory."""
_MARKS = frozenset({"pyproject.toml", "setup.py", "setup.cfg", ".git"})


class _Sent(NamedTuple):
    """Files that were sent, with the additional files."""

    named: tuple[Named, ...]
    besides: frozenset[str] = frozenset()
    turn: int = 1


@contextmanager
def connected(address: str) -> Iterator[Executor]:
    """An executor that runs functions on a cluster.

    Raises:
        ConfigurationError: if Dask is not installed, or the scheduler does not answer.
    """
    try:
        from distributed import Client  # noqa: PLC0415  # the extra `dask`
    except ImportError:
        raise ConfigurationError("--scheduler needs Dask: `python -m pip install 'devlint[dask]'`") from None
    try:
        client = Client(address, timeout="10s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"--scheduler: {address}: {str(error).splitlines()[0]}") from None
    with client, client.get_executor() as executor:
        yield executor


def examine_there(executor: Executor, named: Sequence[Named], session: CheckSession) -> Iterator[FileOutcome]:
    """Examine files on a cluster. Outcomes come in any order, and are cached here.

    If a worker does not finish a parcel, because it was killed, for example, Dask gives the parcel to another
    one. Parcels that no worker finishes are examined here.

    Raises:
        ConfigurationError: if a worker has no devlint, or another release.
    """
    packing = _Packing(session)
    waiting = deque(_Sent(tuple(batch)) for batch in _batches(named, session))
    there: dict[Future[list[Answer]], _Sent] = {}
    here: list[Named] = []
    while waiting or there:
        while waiting and len(there) < _WAITING:
            sent = waiting.popleft()
            there[executor.submit(examine_parcel, packing.parcel(sent))] = sent
        for done in wait(there, return_when=FIRST_COMPLETED).done:
            sent = there.pop(done)
            answers = _answers(done)
            if answers is None:
                here += sent.named
                continue
            again, besides = [], set(sent.besides)
            for pair, answer in zip(sent.named, answers, strict=True):
                missing = _missing(answer, session)
                if missing:
                    again.append(pair)
                    besides |= missing
                else:
                    yield _accepted(answer, pair, session)
            if again and sent.turn == _TURNS:
                here += again
            elif again:
                waiting.append(_Sent(tuple(again), frozenset(besides), sent.turn + 1))
    yield from examine_files(here, session)


def _answers(done: Future[list[Answer]]) -> list[Answer] | None:
    """The answers of a worker; None if it was killed, or the cluster is gone.

    Raises: ConfigurationError: if no worker can ever answer.
    """
    try:
        return done.result()
    except WrongReleaseError as error:
        raise ConfigurationError(f"--scheduler: {error}") from None
    except ModuleNotFoundError as error:
        raise ConfigurationError(f"--scheduler: a worker has no devlint: {error}") from None
    except Exception:  # any error of Dask about workers that are gone
        return None


def _missing(answer: Answer, session: CheckSession) -> set[str]:
    """The paths whose state on the worker differs from that here."""
    return {path for path, state in answer.states.items() if session.modules.state(path) != state}


def _accepted(answer: Answer, pair: Named, session: CheckSession) -> FileOutcome:
    """An outcome that depends on files as they are here."""
    file, _ = pair
    outcome = answer.outcome
    outcome.file = file
    cache = cache_of(session)
    if cache is not None:
        keep(outcome, session.read(file.path), file, session, cache)
    return outcome


def _batches(named: Sequence[Named], session: CheckSession) -> Iterator[list[Named]]:
    """Files in the order of their paths: neighbors import the same."""
    batch: list[Named] = []
    taken = 0
    for pair in sorted(named, key=lambda each: each[0].path):
        batch.append(pair)
        taken += len(session.modules.read(str(pair[0].path)) or b"")
        if taken >= _SIZE:
            yield batch
            batch, taken = [], 0
    if batch:
        yield batch


class _Packing:
    """Builds parcels; caches imports of files, and listings of directories."""

    def __init__(self, session: CheckSession) -> None:
        self._session = session
        self._checked = {str(file.path): file for file in session.files}
        self._imports: dict[str, tuple[str, ...]] = {}
        self._listings: dict[str, dict[str, str]] = {}

    def parcel(self, sent: _Sent) -> Parcel:
        """The parcel of some files."""
        texts = self._texts([str(file.path) for file, _ in sent.named], sent.besides)
        folders = {each for path in (*texts, *sent.besides) for each in _above(path)}
        folders |= {path for path in sent.besides if os.path.isdir(path)}  # noqa: PTH112
        return Parcel(
            __version__,
            self._session.task,
            sent.named,
            tuple(self._checked[path] for path in texts if path in self._checked),
            self._session.directory,
            texts,
            {folder: self._listing(folder) for folder in folders},
        )

    def _texts(self, own: Iterable[str], besides: Iterable[str]) -> dict[str, bytes]:
        """The files and their imports, direct ones first, up to the limit."""
        texts: dict[str, bytes] = {}
        waiting = deque([*own, *sorted(besides)])
        must = len(waiting)
        size = 0
        seen = set(waiting)
        while waiting and (must > 0 or size < _ALONG):
            path = waiting.popleft()
            data = self._session.modules.read(path)
            must -= 1
            if data is None:
                continue
            texts[path] = data
            size += len(data) if must < 0 else 0
            if path not in self._imports:
                self._imports[path] = tuple(imported(path, data, self._session.modules))
            waiting += (each for each in self._imports[path] if each not in seen)
            seen.update(self._imports[path])
        return texts

    def _listing(self, folder: str) -> dict[str, str]:
        """The entries of a directory that matter to imports or the search for a root."""
        known = self._listings.get(folder)
        if known is None:
            known = self._listings[folder] = dict(_entries(folder))
        return known


def _entries(folder: str) -> Iterator[tuple[str, str]]:
    try:
        with os.scandir(folder) as scan:
            for entry in scan:
                if entry.is_dir():
                    yield entry.name, DIRECTORY
                elif entry.name.endswith(".py") or entry.name in _MARKS:
                    yield entry.name, FILE
    except OSError:
        return


def _above(path: str) -> Iterator[str]:
    """The directories above a path."""
    while (folder := os.path.dirname(path)) != path:  # noqa: PTH120
        yield folder
        path = folder
