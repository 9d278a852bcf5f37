"""The page of a run as a file: whole, without anything from elsewhere, and safe to open."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

from devlint.model import Observed, Site
from devlint.report import SourceText
from devlint.report.page import render
from devlint.report.page.cards import spans
from devlint.report.profile import Lane, Profile
from devlint.report.totals import Folded
from devlint.rules.registry import all_rules
from tests.report.profiles import PROGRAM, profile

HOSTILE = "</script><!--<script>alert(1)</script>\N{RIGHT-TO-LEFT OVERRIDE}\x1b'\"&\ud800"


class Elements(HTMLParser):
    """The elements of a page, and the texts of its scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self._in_script = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self._in_script = tag == "script"

    def handle_endtag(self, tag: str) -> None:
        self._in_script = self._in_script and tag != "script"

    def handle_data(self, data: str) -> None:
        if self._in_script:
            self.scripts.append(data)


def page(run: Profile) -> str:
    out = io.StringIO()
    render(run, out)
    return out.getvalue()


def drawn(run: Profile) -> dict[str, object]:
    """The data that the scripts of the page are given."""
    found: dict[str, object] = json.loads(Elements(page(run)).scripts[0])
    return found


def test_nothing_is_fetched() -> None:
    text = page(profile())
    assert not re.search(r"https?:|//[a-z]+\.", text)
    assert not re.search(r"@import|url\(|\bfetch\(|XMLHttpRequest|\bimport\(", text)
    for tag, attributes in Elements(text).found:
        assert tag not in ("img", "link", "iframe", "object", "base")
        assert "src" not in attributes
        assert attributes.get("href", "#")[:1] == "#"  # type: ignore[index]


def test_no_rule_brings_an_address_along() -> None:
    why = " ".join(rule.sections()["Why it matters"] for rule in all_rules())
    assert "http" not in why


def test_a_browser_may_run_nothing_but_the_script_of_the_page() -> None:
    (policy,) = [
        attributes["content"]
        for tag, attributes in Elements(page(profile())).found
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy is not None
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy


def test_what_comes_from_the_program_is_text() -> None:
    run = profile(path=HOSTILE, text=PROGRAM + f"# {HOSTILE}\n")
    acts = [replace(act, operand=HOSTILE, operator=f"`{HOSTILE}`", detail=HOSTILE) for act in run.acts]
    (dropped, read) = run.report.findings
    findings = [replace(dropped, message=HOSTILE, help=HOSTILE), read]
    run = replace(run, title=HOSTILE, torch=HOSTILE, acts=acts, report=run.report._replace(findings=findings))
    text = page(run)
    text.encode()
    harmless = page(profile())
    assert [tag for tag, _ in Elements(text).found].count("script") == 2
    assert text.count("<!--") == harmless.count("<!--") == 0
    assert text.count("</script") == harmless.count("</script") == 2
    assert not re.search("[\u202e\x1b\ud800]", text)
    data = drawn(run)
    assert data["acts"][0]["operand"].startswith("</script><!--<script>alert(1)")  # type: ignore[index]


def test_moments_are_columns_and_what_says_nothing_is_left_out() -> None:
    moments = drawn(profile(steps=2))["moments"]
    assert moments == {
        "act": list(range(10)),
        "start": [number * 1000 for number in range(10)],
        "span": [1000] * 10,
        "step": [0] * 5 + [1] * 5,
        "waited": [1000] * 10,
        "bytes": [1000, None, None, 16, None] * 2,
        "count": None,
    }
    untimed = drawn(profile(steps=2, timed=False))
    assert not untimed["timed"]
    assert untimed["moments"]["waited"] is None  # type: ignore[index]


def test_devices_stand_in_the_order_of_their_numbers_below_their_ranks() -> None:
    lanes = [Lane("cuda:10", 0), Lane("cuda:2", 0), Lane("", 0), Lane("cuda:0", 1)]
    run = profile()
    acts = [replace(run.acts[0], lane=lane) for lane in lanes]
    run = replace(run, acts=acts, moments=[])
    assert drawn(run)["lanes"] == [
        "rank 0, unnamed device",
        "rank 0, cuda:2",
        "rank 0, cuda:10",
        "rank 1, cuda:0",
    ]


def test_lines_in_notebooks_count_over_all_cells_where_the_source_is_drawn() -> None:
    run = profile()
    source = SourceText("a = 1\nb = 2\nc.item()\n", cells=[1, 3])
    here = Site("n.ipynb", 1, 1, 1, 9, cell=2)
    run = replace(
        run,
        acts=[replace(run.acts[0], site=here)],
        moments=[],
        report=run.report._replace(findings=[], sources={"n.ipynb": source}),
        origins=[],
    )
    assert drawn(run)["places"] == [
        {"label": "n.ipynb:cell 2:1:1", "file": 0, "line": 3, "text": "c.item()"},
    ]


def test_what_was_only_counted_is_said() -> None:
    run = profile()
    text = page(replace(run, moments=run.moments[:40], resolution=0.25))
    assert "the timeline shows 40 of 100 waits and copies: the others were only counted" in text
    assert "the timeline is exact to 250 ms" in text


def test_findings_in_packages_are_told_by_number() -> None:
    run = profile()
    assert run.report.run is not None
    folded = [Folded("transformers", 6, (Site("finetune.py", 41, 9, 41, 20),))]
    report = run.report._replace(run=replace(run.report.run, folded=folded))
    assert "6 findings in transformers, called from finetune.py:41:9" in page(replace(run, report=report))


def test_estimates_and_ranks_are_said_in_words() -> None:
    run = profile()
    measured = Observed(1200, 1.5, estimated=True, ranks=((0, Observed(600)), (1, Observed(600))))
    findings = [replace(finding, observed=measured) for finding in run.report.findings]
    text = page(replace(run, report=run.report._replace(findings=findings)))
    assert "about 1,200 times, the host waited 1.5 s; 600 times on each of 2 ranks" in text


def test_a_sentence_is_taken_apart_at_its_code() -> None:
    assert [tuple(span) for span in spans("`x` is on `cuda`, here")] == [
        ("", False),
        ("x", True),
        (" is on ", False),
        ("cuda", True),
        (", here", False),
    ]
