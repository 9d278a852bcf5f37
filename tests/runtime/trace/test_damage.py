"""Traces in which something is damaged: whatever it is, the rest is reported."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devlint.model import SettingKind, Site, SiteId
from devlint.pipeline.observed.findings import observed
from devlint.project.configuration import Configurations
from devlint.project.settings import Options
from devlint.report import FORMATS, renderer
from devlint.rules import registry
from devlint.runtime.recording.progress import Progress
from devlint.runtime.recording.recorder import Tally
from devlint.runtime.trace import Trace, TraceError, TraceWriter, read_trace
from tests.runtime.trace.test_encoding import EVENTS

WORDS = ["cuda", "cpu", "seen", "a\nb", "\0", "\ud800", "Operand", "torch.Tensor.item", *SettingKind]
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([0, -1, 2**62, 2**64, 10**400])
    | st.floats()
    | st.text(max_size=9)
    | st.sampled_from([str(getattr(word, "value", word)) for word in WORDS])
)
JSON: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.sampled_from(["is", "site", "x"]), part),
    max_leaves=6,
)


def whole(path: Path) -> list[bytes]:
    writer = TraceWriter(path, "2.13.0")
    writer.attach(
        lambda site: Site(str(path.with_name("a.py")), site + 2, 1, site + 2, 9), Progress(), lambda: False
    )
    for event in EVENTS:
        writer.listen(event)
    writer.adopt(Tally(EVENTS[2], 30, seconds=1.5, bytes=3, in_batches=1))
    writer.close(["workers were not seen"])
    return path.read_bytes().splitlines()


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[bytes]]:
    path = tmp_path_factory.mktemp("damage") / "trace.jsonl"
    path.with_name("a.py").write_text("x = y + 1\n" * 9)
    return path, whole(path)


def read(path: Path, lines: list[bytes]) -> Trace:
    path.write_bytes(b"\n".join(lines) + b"\n")
    return read_trace(path)


def places(data: Any) -> Iterator[tuple[Any, Any]]:
    """Each part of some data, as what holds it and its name there."""
    for name in list(data) if isinstance(data, dict) else range(len(data)):
        yield data, name
        if isinstance(data[name], dict | list):
            yield from places(data[name])


def report(trace: Trace, directory: Path) -> str:
    configurations = Configurations(
        Options(), directory, FORMATS, isolated=True, default=frozenset(registry.codes())
    )
    out = StringIO()
    for name in FORMATS:
        renderer(name)(observed(trace.tallies, trace, configurations, trace.remarks), out)
    return out.getvalue()


@settings(max_examples=60)
@given(data=st.data())
def test_whatever_stands_in_one_field_the_rest_is_reported(
    trace: tuple[Path, list[bytes]], data: st.DataObject
) -> None:
    path, lines = trace
    at = data.draw(st.integers(0, len(lines) - 1))
    line = json.loads(lines[at])
    holder, name = data.draw(st.sampled_from(list(places(line))))
    holder[name] = data.draw(JSON)
    damaged = [*lines[:at], json.dumps(line).encode(), *lines[at + 1 :]]
    with suppress(TraceError):  # the first line says whether it is a trace at all
        assert report(read(path, damaged), path.parent)


@pytest.mark.parametrize(
    "line",
    [
        b"[" * 100_000,
        b'{"event":' * 10_000,
        b'{"event":' + b"[" * 900 + b"]" * 900 + b',"step":0,"batch":0,"forward":false}',
        b'{"remark":' + b"9" * 5000 + b"}",
        b'{"remark":null}',
        b'{"site":8,"path":"a.py","line":1,"column":"1","end_line":1,"end_column":2}',
        b'{"site":8,"path":"a.py","line":1,"column":1,"end_line":1,"end_column":2,"start":3.5}',
        b'{"site":8,"path":3.5,"line":1,"column":1,"end_line":1,"end_column":2}',
        b'{"site":8,"path":"\\u0000","line":1,"column":1,"end_line":1,"end_column":2}',
        b'{"site":8,"path":"a.py","line":-1,"column":1,"end_line":1,"end_column":2}',
        b'{"site":8,"path":"a.py","line":1,"column":1,"end_line":1,"end_column":2,"cell":1}',
        b'{"site":true,"path":"a.py","line":1,"column":1,"end_line":1,"end_column":2}',
        b'{"site":8,"line":1,"column":1,"end_line":1,"end_column":2}',
    ],
    ids=range(13),
)
def test_a_damaged_line_is_left_out_and_mentioned(trace: tuple[Path, list[bytes]], line: bytes) -> None:
    path, lines = trace
    found = read(path, [lines[0], line, *lines[1:]])
    assert found.remarks == ["workers were not seen", "damaged lines of the trace were ignored: 1"]
    assert SiteId(8) in found.sites
    assert len(found.tallies) == len(EVENTS) + 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("step", None),
        ("batch", "1"),
        ("forward", 0),
        ("operand", "x"),
        ("operand", {"is": "Concrete", "type": "cuda"}),
        ("site", "1"),
        ("site", 1.0),
        ("hot", "the moon"),
        ("seconds", True),
        ("seconds", float("inf")),
        ("seconds", 10**400),
        ("operator", None),
        ("confidence", None),
    ],
)
def test_an_event_with_a_field_of_another_type_is_left_out(
    trace: tuple[Path, list[bytes]], name: str, value: object
) -> None:
    path, lines = trace
    line = next(
        line for line in map(json.loads, lines) if line.get("event", {}).get("is") == "Synchronization"
    )
    (line if name in line else line["event"])[name] = value
    found = read(path, [lines[0], json.dumps(line).encode(), lines[-1]])
    assert found.tallies == []
    assert found.remarks == ["damaged lines of the trace were ignored: 1"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("count", None), ("count", -1), ("seconds", "1"), ("bytes", 1.5), ("forward", None), ("in_steps", [])],
)
def test_counts_of_another_type_are_left_out(
    trace: tuple[Path, list[bytes]], name: str, value: object
) -> None:
    path, lines = trace
    line = next(line for line in map(json.loads, lines) if "counted" in line)
    line["counted"][name] = value
    found = read(path, [lines[0], json.dumps(line).encode(), lines[-1]])
    assert found.tallies == []
    assert found.remarks == ["damaged lines of the trace were ignored: 1"]


@pytest.mark.parametrize(
    "header",
    [
        b"[" * 100_000,
        b'{"devlint":"1","torch":null,"schema":1e999}',
        b'{"devlint":"1","torch":null,"schema":"1"}',
        b'{"devlint":1,"torch":null,"schema":1}',
        b'{"devlint":"1","torch":2.13,"schema":1}',
    ],
    ids=range(5),
)
def test_a_damaged_first_line_makes_it_no_trace(trace: tuple[Path, list[bytes]], header: bytes) -> None:
    path, lines = trace
    with pytest.raises(TraceError, match="is not a trace of devlint"):
        read(path, [header, *lines[1:]])
