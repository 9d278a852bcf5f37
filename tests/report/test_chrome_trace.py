"""Chrome's trace format: each event has the fields that the format asks for, and says what was seen."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import Any

import pytest

from devlint.report.chrome_trace import render
from devlint.report.profile import Lane, Profile
from tests.report.profiles import profile

FIELDS = {
    "X": {"name", "cat", "ph", "ts", "dur", "pid", "tid", "args"},
    "i": {"name", "cat", "ph", "ts", "s", "pid", "tid", "args"},
    "M": {"name", "ph", "ts", "pid", "tid", "args"},
}
"""Of the phases Complete, Instant and Metadata, in the sections of the format's description."""


def written(run: Profile) -> dict[str, Any]:
    out = io.StringIO()
    render(run, out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def events(run: Profile, phase: str) -> list[dict[str, Any]]:
    return [event for event in written(run)["traceEvents"] if event["ph"] == phase]


@pytest.mark.parametrize("timed", [True, False])
def test_each_event_has_the_fields_of_its_phase(timed: bool) -> None:
    trace = written(profile(timed=timed))
    assert trace["displayTimeUnit"] in ("ms", "ns")
    for event in trace["traceEvents"]:
        assert set(event) == FIELDS[event["ph"]]
        assert isinstance(event["ts"], float | int)
        assert event["ts"] >= 0
        assert event.get("dur", 0) >= 0
        assert event.get("s", "t") == "t", "an instant of its thread"
        assert type(event["pid"]) is type(event["tid"]) is int
        assert event["pid"] < 1 << 31, "viewers keep it in 32 bits"


def test_waits_have_a_length_where_it_was_measured() -> None:
    measured = events(profile(), "X")
    assert len(measured) == 100
    assert all(event["dur"] == pytest.approx(1000, abs=0.01) for event in measured)
    assert events(profile(), "i") == []
    counted = profile(timed=False)
    assert (len(events(counted, "i")), events(counted, "X")) == (100, [])


def test_an_event_says_what_and_where() -> None:
    read = next(event for event in events(profile(), "X") if event["name"] == "torch.Tensor.item of loss")
    assert read["cat"] == "wait"
    assert read["args"] == {
        "place": "train.py:6:19",
        "what": "the host reads a value",
        "step": 0,
        "rules": "DL201",
    }


def test_rows_of_devices_have_names_and_ranks_are_processes() -> None:
    run = profile()
    acts = [replace(act, lane=Lane(act.lane.device, number % 2)) for number, act in enumerate(run.acts)]
    named = events(replace(run, acts=acts), "M")
    processes = {event["args"]["name"] for event in named if event["name"] == "process_name"}
    assert processes == {"devlint, rank 0", "devlint, rank 1"}
    threads = {(event["pid"] % 2, event["args"]["name"]) for event in named if event["name"] == "thread_name"}
    assert {(0, "cuda:0: copy to a device"), (1, "cuda:0: wait")} <= threads
    assert len(threads) == len({event["tid"] for event in named if event["name"] == "thread_name"})


def test_what_was_not_measured_is_said() -> None:
    said = written(profile(timed=False))["otherData"]["notes"]
    assert said == "the devices were simulated, so no time was measured"


def test_times_count_from_the_base_of_torchs_profiler() -> None:
    trace = written(profile())
    base = trace["baseTimeNanoseconds"]
    assert base % (7_889_238 * 10**9) == 0
    first = min(event["ts"] for event in trace["traceEvents"] if event["ph"] == "X")
    assert base / 1e9 + first / 1e6 == pytest.approx(1.7e9, abs=1e-3)
    assert written(replace(profile(), began=None))["baseTimeNanoseconds"] == 0
