"""Checking files in several processes; large files first, so that the processes end at about the same
time."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from devlint.pipeline.session.examine import examine_files
from devlint.pipeline.session.session import CheckSession
from devlint.pipeline.session.task import FileOutcome, Task
from devlint.project.cache import Cache
from devlint.project.discover import SourceFile

Named = tuple[SourceFile, str]
"""A file, and its name in reports."""

BATCH = 64 << 10
"""Bytes of source that a process gets at once, because passing them takes time, too."""
_FORKS = sys.platform == "linux"
"""Whether processes are forked. Elsewhere that is not safe, and each process imports everything again."""
WORTH_IT = (256 << 10) if _FORKS else (4 << 20)
"""Bytes of source below which a second process is not worth its start."""


def available() -> int:
    """How many processes can run at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def examine_all(
    files: Sequence[Named], session: CheckSession, jobs: int | None = None
) -> Iterator[FileOutcome]:
    """Examine files in as many processes as are allowed and worthwhile. Outcomes come in any order."""
    sized = sorted(((_size(file), (file, name)) for file, name in files), key=lambda pair: -pair[0])
    batches = list(_batches(sized))
    jobs = min(available() if jobs is None else jobs, len(batches))
    if jobs < 2 or sum(size for size, _ in sized) < WORTH_IT:
        yield from examine_files(files, session)
        return
    context = multiprocessing.get_context("fork" if _FORKS else "spawn")
    _share_what_all_need()
    with ProcessPoolExecutor(jobs, context, _begin, _parts(session)) as pool:
        waiting = {pool.submit(_examine_batch, batch): batch for batch in batches}
        broken: list[Named] = []
        try:
            for done in as_completed(list(waiting)):
                batch = waiting.pop(done)
                try:
                    yield from done.result()
                except BrokenProcessPool:  # a process was killed, perhaps for its memory
                    broken += batch
        except BaseException:
            for each in waiting:  # leaving the pool waits for those that have started
                each.cancel()
            raise
    yield from examine_files(broken, session)


def _examine_batch(files: Sequence[Named]) -> list[FileOutcome]:
    assert _session is not None
    return list(examine_files(files, _session))


def _batches(sized: Sequence[tuple[int, Named]]) -> Iterator[list[Named]]:
    batch: list[Named] = []
    taken = 0
    for size, named in sized:
        batch.append(named)
        taken += size
        if taken >= BATCH:
            yield batch
            batch, taken = [], 0
    if batch:
        yield batch


def _size(file: SourceFile) -> int:
    try:
        return file.path.stat().st_size
    except OSError:
        return 0


def _share_what_all_need() -> None:
    """Import shared modules before forking, and exclude them from garbage collection, which would copy their
    pages."""
    from devlint.pipeline.analysis import claims  # noqa: PLC0415
    from devlint.pipeline.session import file  # noqa: PLC0415
    from devlint.rules import engine, registry  # noqa: PLC0415
    from devlint.source import observation  # noqa: PLC0415

    registry.all_rules()
    assert claims
    assert file
    assert engine
    assert observation
    gc.freeze()


_session: CheckSession | None = None
"""In a worker process: its part of the check."""


def _parts(
    session: CheckSession,
) -> tuple[Task, Cache | None, tuple[SourceFile, ...], Path, dict[str, bytes]]:
    return (session.task, session.cache, session.files, session.directory, session.drafts)


def _begin(
    task: Task,
    cache: Cache | None,
    files: tuple[SourceFile, ...],
    directory: Path,
    drafts: dict[str, bytes],
) -> None:
    global _session  # noqa: PLW0603  # a pool hands over no state but a process's own
    _session = CheckSession(task, cache, files, directory, drafts)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # interruptions are for the parent
