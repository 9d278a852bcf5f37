"""Every format, end to end on one report, to the letter."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from devlint.model import Confidence, Observed, Site
from devlint.report import FOR_PROGRAMS, FORMATS, Report
from devlint.report.counts import render as render_counts
from devlint.rules import registry
from tests.report.reports import broken, mismatch, rendered, report, waiting

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "schema" / "findings.json").read_text())


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)


def test_concise() -> None:
    assert rendered("concise", report(mismatch(), waiting(), broken())) == (
        r"""bad, file.py:2:7: DL900 100% broken:\nno colon
train.py:11:16: DL101 operands of `torch.add` are on different devices
train.py:15:1: DL203 [*] printing waits for the device (3 times, the host waited 500 ms)
Found 3 findings.
[*] 1 fixable with `--fix` (1 unsafe fix available with `--fix --unsafe-fixes`).
"""
    )


def test_full() -> None:
    assert rendered("full", report(mismatch(), waiting(), broken())) == (
        r"""bad, file.py:2:7: DL900 100% broken:\nno colon

train.py:11:16: DL101 operands of `torch.add` are on different devices
   |
11 |         return x + self.mask
   |                ^ cuda:0
   |                    ^^^^^^^^^ cpu
   |
10 |         x = x.to("cuda:0")          x was moved to cuda:0 here
 7 |         self.mask = torch.ones(n)   self.mask was made on cpu here
   = help: register it, so that .to() moves it

train.py:15:1: DL203 [*] printing waits for the device
   |
15 | print(net(torch.ones(3)))
   | ^^^^^^^^^^^^^^^^^^^^^^^^^
   = observed: 3 times, the host waited 500 ms

Found 3 findings.
[*] 1 fixable with `--fix` (1 unsafe fix available with `--fix --unsafe-fixes`).
"""
    )


def test_github() -> None:
    here = Path.cwd()
    bad = str(here / "bad, file.py").replace(",", "%2C")
    assert rendered("github", report(mismatch(), waiting(), broken())) == (
        f"::error title=devlint (DL900),file={bad},line=2,col=7,endLine=2,endColumn=7"
        "::bad, file.py:2:7: DL900 100%25 broken:%0Ano colon\n"
        f"::error title=devlint (DL101),file={here}/train.py,line=11,col=16,endLine=11,endColumn=29"
        "::train.py:11:16: DL101 operands of `torch.add` are on different devices"
        "%0A  help: register it, so that .to() moves it\n"
        f"::warning title=devlint (DL203),file={here}/train.py,line=15,col=1,endLine=15,endColumn=26"
        "::train.py:15:1: DL203 printing waits for the device"
        "%0A  observed: 3 times, the host waited 500 ms\n"
    )


@pytest.mark.parametrize(
    ("confidence", "mark"),
    [
        (Confidence.SEEN, ""),
        (Confidence.CERTAIN, ""),
        (Confidence.LIKELY, " (likely)"),
        (Confidence.POSSIBLE, " (possible)"),
    ],
)
def test_what_is_not_certain_says_so(confidence: Confidence, mark: str) -> None:
    found = report(replace(mismatch(), confidence=confidence))
    said = f"DL101 operands of `torch.add` are on different devices{mark}"
    for name in ("concise", "full"):
        assert rendered(name, found).splitlines()[0] == f"train.py:11:16: {said}"
    assert f"{said}%0A" in rendered("github", found)
    (record,) = json.loads(rendered("json", found))
    jsonschema.validate([record], SCHEMA)
    assert record["confidence"] == confidence.value


def test_json() -> None:
    records = json.loads(rendered("json", report(mismatch(), waiting(), broken())))
    jsonschema.validate(records, SCHEMA)
    file = str(Path.cwd() / "train.py")
    assert records[1] == {
        "code": "DL101",
        "name": "cross-device-operation",
        "message": "operands of `torch.add` are on different devices",
        "severity": "error",
        "confidence": "certain",
        "help": "register it, so that .to() moves it",
        "url": registry.url("DL101"),
        "filename": file,
        "cell": None,
        "location": {"row": 11, "column": 16},
        "end_location": {"row": 11, "column": 29},
        "function": "Net.forward",
        "fix": {
            "applicability": "unsafe",
            "message": "Register it as a buffer",
            "edits": [
                {
                    "content": 'self.register_buffer("mask", torch.ones(n))',
                    "cell": None,
                    "location": {"row": 7, "column": 9},
                    "end_location": {"row": 7, "column": 34},
                }
            ],
        },
        "related": [
            _related("cuda:0", file, 11, 16, 17),
            _related("cpu", file, 11, 20, 29),
            _related("x was moved to cuda:0 here", file, 10, 9, 27),
            _related("self.mask was made on cpu here", file, 7, 21, 34),
        ],
        "observed": None,
        "in_run": None,
    }
    assert records[2]["observed"] == {
        "count": 3,
        "seconds": 0.5,
        "bytes": None,
        "estimated": False,
        "ranks": [],
    }
    assert records[2]["fix"]["edits"][0]["end_location"] == {"row": 16, "column": 1}


def _related(message: str, file: str, row: int, column: int, end: int) -> dict[str, Any]:
    return {
        "message": message,
        "filename": file,
        "cell": None,
        "location": {"row": row, "column": column},
        "end_location": {"row": row, "column": end},
    }


def test_json_lines_are_the_items_of_json() -> None:
    what = report(mismatch(), waiting(), broken())
    lines = rendered("json-lines", what).splitlines()
    assert [json.loads(line) for line in lines] == json.loads(rendered("json", what))


def test_schema_is_a_schema_and_refuses() -> None:
    validator = jsonschema.Draft202012Validator
    validator.check_schema(SCHEMA)
    records = json.loads(rendered("json", report(waiting())))
    for key in records[0]:
        lacking = [{name: value for name, value in records[0].items() if name != key}]
        assert not validator(SCHEMA).is_valid(lacking), key
    assert not validator(SCHEMA).is_valid([{**records[0], "more": 1}])


def test_bytes_are_reported() -> None:
    measured = replace(waiting(), observed=Observed(2, bytes=4096))
    records = json.loads(rendered("json", report(measured)))
    jsonschema.validate(records, SCHEMA)
    assert records[0]["observed"]["bytes"] == 4096


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_found(name: str) -> None:
    text = rendered(name, report())
    if name in FOR_PROGRAMS:
        assert "passed" not in text
        assert text in ("", "[]\n") or name in ("sarif", "rdjson", "junit")
    else:
        assert text == "All checks passed!\n"


@pytest.mark.parametrize("name", ["concise", "full"])
def test_what_was_not_checked_has_not_passed(name: str) -> None:
    assert rendered(name, report(complete=False)) == ""
    assert rendered(name, Report()) == ""


def test_statistics() -> None:
    out = io.StringIO()
    what = report(mismatch(), waiting(), waiting(), replace(waiting(), fix=None), broken())
    render_counts(what, out, as_json=False)
    assert out.getvalue() == (
        "3\tDL203\t[-] formatting-device-tensor\n"
        "1\tDL101\t[ ] cross-device-operation\n"
        "1\tDL900\t[ ] unreadable-file\n"
        "Found 5 findings.\n"
        "[*] 2 fixable with `--fix` (1 unsafe fix available with `--fix --unsafe-fixes`).\n"
    )
    out = io.StringIO()
    render_counts(what, out, as_json=True)
    assert json.loads(out.getvalue())[0] == {
        "code": "DL203",
        "name": "formatting-device-tensor",
        "count": 3,
        "fixable": False,
        "fixable_count": 2,
    }


def test_unsafe_fixes_count_where_they_are_asked_for() -> None:
    text = rendered("concise", report(mismatch(), waiting(), unsafe_fixes=True))
    assert text.count("[*]") == 3
    assert text.endswith("[*] 2 fixable with `--fix --unsafe-fixes`.\n")


@pytest.mark.parametrize("name", ["-", "<string>", "<unknown>"])
def test_what_lies_in_no_file_has_no_path(name: str) -> None:
    nowhere = replace(broken(), site=Site(name, 1, 1, 1, 1))
    (found,) = json.loads(rendered("json", report(nowhere)))
    jsonschema.validate([found], SCHEMA)
    assert found["filename"] == name
