"""The formats of GitHub, GitLab, Azure Pipelines and reviewdog, to the letter, and as these read them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from devlint.model import Applicability, Finding, Severity, Site
from devlint.report import Report, SourceText
from tests.report.reports import broken, mismatch, rendered, report, waiting

HOSTILE = "a\n::error::b\r##vso[task.setvariable variable=x;]y%0A; \x1b[31m\ud800\ufffe.py"
"""What no path and no message should be, and both can be."""


def hostile() -> Finding:
    return Finding("DL101", "bug", HOSTILE, Site(HOSTILE, 1, 2, 3, 4), Severity.ERROR, help=HOSTILE)


def in_notebook() -> Finding:
    return replace(waiting(), site=replace(waiting().site, path="n.ipynb", cell=2))


@pytest.mark.parametrize(
    ("name", "begins"), [("github", "::error title="), ("azure", "##vso[task.logissue ")]
)
def test_whatever_a_finding_says_it_is_one_command(name: str, begins: str) -> None:
    text = rendered(name, report(hostile()))
    assert text.startswith(begins)
    assert re.split(r"[\r\n]", text)[1:] == [""]
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff]", text)


def test_azure() -> None:
    here, issue = Path.cwd(), "##vso[task.logissue type="
    assert rendered("azure", report(mismatch(), waiting(), in_notebook())) == (
        f"{issue}warning;sourcepath={here}/n.ipynb;code=DL203]"
        "cell 2, line 15: printing waits for the device%0Aobserved: 3 times, the host waited 500 ms\n"
        f"{issue}error;sourcepath={here}/train.py;linenumber=11;columnnumber=16;code=DL101]"
        "operands of `torch.add` are on different devices%0Ahelp: register it, so that .to() moves it\n"
        f"{issue}warning;sourcepath={here}/train.py;linenumber=15;columnnumber=1;code=DL203]"
        "printing waits for the device%0Aobserved: 3 times, the host waited 500 ms\n"
    )


def as_azure_reads(line: str) -> tuple[dict[str, str], str]:
    """Properties and text of a command: it ends at the first bracket, and escapes are replaced after that."""

    def plain(text: str) -> str:
        for escape, character in (("%3B", ";"), ("%0D", "\r"), ("%0A", "\n"), ("%5D", "]"), ("%AZP25", "%")):
            text = text.replace(escape, character)
        return text

    start = line.index("##vso[")
    end = line.index("]", start)
    _, _, properties = line[start:end].partition(" ")
    pairs = (pair.partition("=") for pair in properties.split(";"))
    return {key: plain(value) for key, _, value in pairs}, plain(line[end + 1 :])


def test_azure_reads_what_was_written() -> None:
    odd = Finding("DL101", "bug", "f(x[0]); 100%\n50%0A", Site("a;b]%0A\n.py", 3, 1, 3, 2), Severity.ERROR)
    properties, text = as_azure_reads(rendered("azure", report(odd)).rstrip("\n"))
    assert properties == {
        "type": "error",
        "sourcepath": str(Path.cwd() / "a;b]%0A\n.py"),
        "linenumber": "3",
        "columnnumber": "1",
        "code": "DL101",
    }
    assert text == "f(x[0]); 100%\n50%0A"


def test_gitlab() -> None:
    violations = json.loads(rendered("gitlab", report(mismatch(), in_notebook(), broken())))
    assert [{**each, "fingerprint": ""} for each in violations] == [
        {
            "description": "DL900 100% broken:\\nno colon",
            "check_name": "DL900",
            "fingerprint": "",
            "severity": "major",
            "location": {"path": "bad, file.py", "lines": {"begin": 2, "end": 2}},
        },
        {
            "description": "DL203 cell 2, line 15: printing waits for the device",
            "check_name": "DL203",
            "fingerprint": "",
            "severity": "minor",
            "location": {"path": "n.ipynb", "lines": {"begin": 1}},
        },
        {
            "description": "DL101 operands of `torch.add` are on different devices",
            "check_name": "DL101",
            "fingerprint": "",
            "severity": "major",
            "location": {"path": "train.py", "lines": {"begin": 11, "end": 11}},
        },
    ]


def test_gitlab_tells_findings_apart_by_their_fingerprints() -> None:
    alike = [mismatch(), mismatch(), replace(mismatch(), code="DL102"), waiting()]
    elsewhere = replace(waiting(), site=replace(waiting().site, path="other.py"))
    violations = json.loads(rendered("gitlab", report(*alike, elsewhere)))
    assert len({each["fingerprint"] for each in violations}) == len(violations) == 5


def rdjson(what: Report) -> list[dict[str, Any]]:
    result: dict[str, Any] = json.loads(rendered("rdjson", what))
    assert result["source"]["name"] == "devlint"
    diagnostics: list[dict[str, Any]] = result["diagnostics"]
    return diagnostics


def test_rdjson() -> None:
    (found,) = rdjson(report(mismatch()))
    assert found["message"] == (
        "operands of `torch.add` are on different devices\nhelp: register it, so that .to() moves it"
    )
    assert (found["severity"], found["code"]["value"]) == ("ERROR", "DL101")
    assert found["location"] == {
        "path": "train.py",
        "range": {"start": {"line": 11, "column": 16}, "end": {"line": 11, "column": 29}},
    }
    assert found["suggestions"] == [
        {
            "range": {"start": {"line": 7, "column": 9}, "end": {"line": 7, "column": 34}},
            "text": 'self.register_buffer("mask", torch.ones(n))',
        }
    ]
    assert [each["message"] for each in found["related_locations"]][2:] == [
        "x was moved to cuda:0 here",
        "self.mask was made on cpu here",
    ]


def test_rdjson_counts_columns_in_bytes() -> None:
    text = "s = 'é€𐐀'; BUG\n"
    start = text.index("BUG")
    site = Site("a.py", 1, start + 1, 1, start + 4, start, start + 3)
    what = Report([Finding("DL101", "bug", "bug", site, Severity.ERROR)], {"a.py": SourceText(text)})
    (found,) = rdjson(what)
    columns = [found["location"]["range"][end]["column"] for end in ("start", "end")]
    assert text.encode()[columns[0] - 1 : columns[1] - 1] == b"BUG"


def test_rdjson_gives_lines_alone_where_the_text_is_not_known() -> None:
    (found,) = rdjson(report(broken()))
    assert found["location"]["range"] == {"start": {"line": 2}, "end": {"line": 2}}
    (found,) = rdjson(report(in_notebook()))
    assert found["location"] == {"path": "n.ipynb"}
    assert found["message"].startswith("cell 2, line 15: ")


def suggestions(what: Report) -> Iterator[Any]:
    for found in rdjson(what):
        yield from found["suggestions"]


def test_rdjson_suggests_what_may_be_applied_and_is_one_edit() -> None:
    fix = mismatch().fix
    assert fix is not None
    shown = replace(mismatch(), fix=replace(fix, applicability=Applicability.DISPLAY))
    several = replace(mismatch(), fix=replace(fix, edits=fix.edits * 2))
    assert not list(suggestions(report(shown, several)))
    assert len(list(suggestions(report(mismatch(), waiting())))) == 2


@pytest.mark.parametrize("name", ["gitlab", "rdjson", "sarif", "junit"])
def test_every_byte_is_ascii_so_that_no_stream_can_spoil_it(name: str) -> None:
    odd = replace(mismatch(), message="é 日本 \ud800 \ufffe")
    assert rendered(name, report(odd, hostile())).isascii()
