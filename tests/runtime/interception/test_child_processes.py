"""Child processes observe themselves and report back."""

from __future__ import annotations

import multiprocessing
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from torch.utils.data import DataLoader

import devlint
from devlint.model import Cause
from devlint.runtime.policy.active_guards import current
from devlint.runtime.session import observation
from tests.runtime.interception import children
from tests.runtime.interception.watching import session, waits

READ = ("torch.Tensor.item", Cause.HOST_READ)
MISSING = "1 report of child processes are incomplete: it was killed or still running"
forks = pytest.mark.skipif(sys.platform == "win32", reason="Windows does not fork")


def started(how: str, target: Callable[..., object], *arguments: object) -> Any:
    context: Any = multiprocessing.get_context(how)
    process = context.Process(target=target, args=arguments)
    process.start()
    process.join(120)
    return process


@forks
def test_a_forked_process_reports() -> None:
    with session() as found:
        assert started("fork", children.wait_and_read_often).exitcode == 0
    assert waits(found) == Counter({READ: 3})
    assert found.remarks == []


def test_a_spawned_process_reports() -> None:
    with session() as found:
        assert started("spawn", children.read_often).exitcode == 0
    assert waits(found) == Counter({READ: 3})
    assert found.remarks == []


@forks
def test_the_workers_of_a_data_loader_report() -> None:
    with session() as found:
        for _ in DataLoader(children.Waiting(), batch_size=2, num_workers=2):
            pass
    assert waits(found) == Counter({READ: 8})
    assert found.remarks == []


def test_spawned_workers_of_a_data_loader_report() -> None:
    with session() as found:
        for _ in DataLoader(children.Reading(), num_workers=1, multiprocessing_context="spawn"):
            pass
    assert waits(found) == Counter({READ: 8})
    assert found.remarks == []


@forks
def test_workers_that_never_end_are_heard_all_the_same() -> None:
    with session() as found:
        loader = iter(DataLoader(children.Waiting(), num_workers=1, persistent_workers=True))
        for _ in loader:
            pass
        assert waits(found) == Counter({READ: 8})
        assert found.remarks == []
    del loader


@forks
def test_a_report_names_the_place_in_the_child() -> None:
    with session() as found:
        started("fork", children.wait_and_read_often)
    (tally,) = found.tallies()
    place = found.sites.site(tally.event.site)
    assert Path(place.path).name == "children.py"
    assert place.function == "wait_and_read_often"


@forks
def test_what_the_parent_saw_is_not_reported_again() -> None:
    with session() as found:
        children.wait()
        started("fork", children.do_nothing)
    assert waits(found) == Counter({READ: 1})


@forks
def test_guards_hear_of_their_children() -> None:
    with devlint.guard() as outer, devlint.guard() as inner:
        for _ in range(4):
            started("fork", children.wait_and_read_often)
    observation.shared().collect()
    for guard in (outer, inner):
        assert sum(tally.count for tally in guard._recorder.tallies()) == 12


@forks
def test_a_killed_process_is_said_to_be_missing(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    with session() as found:
        started("fork", children.wait_and_die, str(mark))
    assert mark.exists()
    assert found.remarks == [MISSING]
    assert waits(found) == Counter({READ: 1}), "what it wrote before remains"


@forks
def test_a_process_that_nobody_watches_is_left_alone() -> None:
    with devlint.guard() as guard:
        pass
    assert started("fork", children.wait_and_read_often).exitcode == 0
    assert guard.findings == []


@forks
def test_a_level_holds_in_a_child() -> None:
    with devlint.guard(sync="disallow"):
        assert started("fork", children.wait_where_it_is_not_allowed).exitcode == children.REFUSED


def test_damaged_reports_do_no_harm() -> None:
    with session() as found:
        processes = observation.shared()._interceptions._processes
        report = Path(processes._task(current()).report)
        report.write_text('\nnonsense\n[1]\n{"tallies": [[{"is": "Nobody"}, 1]]}\n{"done')
        assert found.remarks == [MISSING]
        with report.open("a") as file:
            file.write('": true}\n')
    assert found.tallies() == []
    assert found.remarks == []


@forks
def test_the_process_object_carries_nothing_afterwards() -> None:
    with session():
        process = started("fork", children.do_nothing)
    assert not [name for name in vars(process) if "devlint" in name]
    assert observation.shared().remarks == []
