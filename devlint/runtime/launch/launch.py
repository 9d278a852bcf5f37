"""The ranks of one launch, whose traces are in one directory: which are running, and one report for all.

A rank locks its trace until the trace is written; the operating system releases the lock, however the process
ends. The reporter, a separate process, waits until no trace is locked, and reports. It is not a child of a
rank, so that the program does not see it, and signals to the ranks do not end it.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from time import monotonic, sleep
from typing import IO

from devlint.runtime.trace.ranks import Rank, trace_path

try:
    import fcntl
except ImportError:  # Windows, where each rank reports by itself
    fcntl = None  # type: ignore[assignment]

_GRACE = 5.0
"""Seconds to wait for further ranks after all known ranks have ended, because launchers start them one by
one."""
_PATIENCE = 60.0
"""Seconds for which the last rank waits for the report, so that its launcher does not end first."""
_POLL_SECONDS = 0.02
"""Seconds between two polls."""

Report = Callable[[Sequence[Path]], None]
"""Prints the report of these traces."""


class Launch:
    """One rank's view of its launch. `path` is the directory of all traces."""

    def __init__(self, path: Path, rank: Rank) -> None:
        self._path = path
        self._rank = rank
        self._trace: IO[bytes] | None = None
        self._register_path = path / ".launch" if path.is_dir() else path.with_suffix(".launch")
        self._register: IO[bytes] | None = None
        """The register of ranks that have started. The reporter locks it."""

    def join(self, report: Report) -> bool:
        """Register this rank, whose trace exists already; ensure that a process will `report`.

        Returns whether one will: not without locks or forks, as on Windows and some file systems.
        """
        if fcntl is None or not hasattr(os, "fork"):
            return False
        try:
            self._trace = trace_path(self._path, self._rank).open("r+b")
            if not _lock(self._trace, fcntl.LOCK_EX):
                return False
            self._register = self._announced()
            _fork_apart(lambda: self._report(report))
        except OSError:
            return False
        return True

    def leave(self) -> None:
        """Unregister this rank, whose trace is complete. The last rank waits for the report, for a limited
        time."""
        if self._trace is not None:
            self._trace.close()
        deadline = monotonic() + _PATIENCE
        while self._is_reporting() and not self._at_work() and monotonic() < deadline:
            sleep(_POLL_SECONDS)

    def _announced(self) -> IO[bytes]:
        """The register, after adding this rank."""
        while True:
            register = self._register_path.open("a+b", buffering=0)
            register.write(b"%d\n" % self._rank.number)
            try:
                if os.path.samestat(os.fstat(register.fileno()), self._register_path.stat()):
                    return register
            except FileNotFoundError:
                pass
            register.close()  # a reporter has closed it: this rank belongs to another launch

    def _is_reporting(self) -> bool:
        return self._register is not None and _is_locked(self._register)

    def _report(self, report: Report) -> None:
        """In a separate process: become the reporter, unless there is one."""
        assert self._register is not None
        if _lock(self._register, fcntl.LOCK_EX):
            self._await_all()
            report([self._trace_of(number) for number in self.begun()])

    def _await_all(self) -> None:
        """Return when all ranks have ended, and the register is removed."""
        deadline = monotonic() + _GRACE
        while True:
            begun = self.begun()
            if self._await_any(begun):
                deadline = monotonic() + _GRACE
            elif len(begun) == self._rank.count or monotonic() > deadline:
                self._register_path.unlink(missing_ok=True)
                if self.begun() == begun:
                    return
            sleep(_POLL_SECONDS)

    def _await_any(self, ranks: Sequence[int]) -> bool:
        """Wait for a running rank; returns whether there was one."""
        for number in self._held(ranks):
            with self._trace_of(number).open("rb") as trace:
                fcntl.lockf(trace, fcntl.LOCK_SH)
            return True
        return False

    def _at_work(self) -> bool:
        """Whether another rank is running."""
        return bool(self._held(number for number in self.begun() if number != self._rank.number))

    def _held(self, ranks: Iterable[int]) -> list[int]:
        """Those of these ranks that are running."""
        return [number for number in ranks if self._is_held(number)]

    def _is_held(self, number: int) -> bool:
        """Whether a rank is running. A missing trace belongs to none."""
        try:
            with self._trace_of(number).open("rb") as trace:
                return _is_locked(trace)
        except OSError:
            return False

    def begun(self) -> list[int]:
        """The ranks that have started, in order."""
        assert self._register is not None
        register = self._register.fileno()
        # A rank and the reporter that it has forked share the file's position, so no read may depend on it.
        written = os.pread(register, os.fstat(register).st_size, 0)
        return sorted({int(line) for line in written.split()})

    def _trace_of(self, number: int) -> Path:
        return trace_path(self._path, Rank(number, self._rank.count))


def _lock(file: IO[bytes], kind: int) -> bool:
    """Whether the file could be locked without waiting."""
    try:
        fcntl.lockf(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_locked(file: IO[bytes]) -> bool:
    """Whether another process holds an exclusive lock on the file."""
    if not _lock(file, fcntl.LOCK_SH):
        return True
    fcntl.lockf(file, fcntl.LOCK_UN)
    return False


def _fork_apart(work: Callable[[], None]) -> None:
    """Do some work in a detached process, which ends afterwards.

    Raises: OSError: if no process can be started.
    """
    child = os.fork()
    if child:
        if os.waitpid(child, 0)[1]:
            raise OSError("no second process could be started")
        return
    code = 1
    try:
        os.setsid()
        if not os.fork():
            _be_undisturbed()
            work()
        code = 0
    finally:
        os._exit(code)


def _be_undisturbed() -> None:
    """Ignore signals to the ranks, and close all inherited streams except standard error."""
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, signal.SIG_IGN)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(nowhere, stream)
