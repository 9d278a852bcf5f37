"""Tests of a session that starts with the import of torch, and of failures of devlint. Sessions are
stand-ins."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from devlint.model import CPU, Cause, Confidence, Operand, SiteId, Synchronization
from devlint.runtime.launch.watch import ProgramWatch
from devlint.runtime.places.sites import Sites
from devlint.runtime.policy.settings import RunSettings
from devlint.runtime.recording.recorder import Listener, Tally
from devlint.runtime.trace import TraceWriter, read_trace

WAIT = Synchronization(
    SiteId(-1), None, Confidence.SEEN, "torch.Tensor.item", Cause.HOST_READ, Operand("x", SiteId(-1), CPU)
)


class Session:
    """Sees one wait, or fails."""

    fails = ""

    def __init__(self, settings: RunSettings) -> None:
        self.settings = settings
        self.sites = Sites()
        self.failed = False
        self.remarks = ["half of it"]
        self.doubt = ""
        self.listeners: list[Listener] = []
        self.adopters: list[object] = []
        self.stopped = 0

    def start(self) -> None:
        for listener in self.listeners:
            listener(WAIT, Tally(WAIT, 1))
        self._fail("start")

    def stop(self) -> None:
        self.stopped += 1
        self._fail("stop")

    def tallies(self) -> list[Tally]:
        return [Tally(WAIT, 1)]

    def _fail(self, where: str) -> None:
        if self.fails == where:
            raise KeyError("a mistake\nof ours")


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Session]]:
    monkeypatch.setitem(sys.modules, "devlint.runtime.session.session", SimpleNamespace(Session=Session))
    yield Session
    Session.fails = ""


def test_what_was_seen_is_known_at_the_end(session: type[Session]) -> None:  # noqa: ARG001
    watch = ProgramWatch(RunSettings())
    watch.begin()
    watch.end()
    assert [tally.event for tally in watch.tallies] == [WAIT]
    assert watch.remarks == ["half of it"]
    assert not watch.failed


@pytest.mark.parametrize("where", ["start", "stop"])
def test_a_failure_is_said_once_and_raises_nothing(
    session: type[Session], capsys: pytest.CaptureFixture[str], where: str
) -> None:
    session.fails = where
    watch = ProgramWatch(RunSettings())
    watch.begin()
    watch.end()
    remark = "devlint failed; the program continues without being observed (KeyError: 'a mistake\\nof ours')"
    assert capsys.readouterr().err == f"{remark}\n"
    assert watch.remarks == ["half of it", remark]
    assert watch.failed


def test_the_trace_has_events_and_remarks(session: type[Session], tmp_path: Path) -> None:  # noqa: ARG001
    watch = ProgramWatch(RunSettings(), TraceWriter(tmp_path / "trace", None))
    watch.begin()
    watch.end()
    trace = read_trace(tmp_path / "trace")
    assert [tally.event for tally in trace.tallies] == [WAIT]
    assert trace.remarks == ["half of it"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is full")
def test_a_trace_that_could_not_be_written_is_said_to_be_incomplete(session: type[Session]) -> None:  # noqa: ARG001
    watch = ProgramWatch(RunSettings(), TraceWriter(Path("/dev/full"), None))
    watch.begin()
    watch.end()
    assert watch.remarks[-1] == "the trace is incomplete: No space left on device"


def test_a_main_thread_that_was_not_observed_is_remarked_on(session: type[Session]) -> None:  # noqa: ARG001
    watch = ProgramWatch(RunSettings())
    thread = threading.Thread(target=watch.begin)
    thread.start()
    thread.join()
    watch.end()
    reason = "because another thread imported torch first"
    assert watch.remarks[-1] == f"the main thread was not observed, {reason}"


def test_where_torch_never_came_there_was_nothing_to_see(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "torch")
    watch = ProgramWatch(RunSettings())
    watch.begin()
    watch.end()
    assert watch.remarks == ["the program did not import torch, so nothing was observed"]
    assert list(watch.tallies) == []


@pytest.mark.parametrize(
    ("version", "word"),
    [("2.16.0a0+git12", "newer than 2.15"), ("3.0", "newer than 2.15"), ("2.5.1+cpu", "older than 2.6")],
)
def test_a_torch_that_was_not_tested_is_named_at_the_start(
    session: type[Session],  # noqa: ARG001
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    version: str,
    word: str,
) -> None:
    monkeypatch.setattr(torch, "__version__", version)
    watch = ProgramWatch(RunSettings())
    watch.begin()
    said = capsys.readouterr().err
    watch.end()
    assert said.startswith(f"devlint: torch {version} is {word}")
    assert said.count("\n") == 1


@pytest.mark.parametrize("version", ["2.6.0", "2.15.1+cu132", "a build of my own"])
def test_nothing_is_said_of_others(
    session: type[Session],  # noqa: ARG001
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    version: str,
) -> None:
    monkeypatch.setattr(torch, "__version__", version)
    watch = ProgramWatch(RunSettings())
    watch.begin()
    watch.end()
    assert capsys.readouterr().err == ""
