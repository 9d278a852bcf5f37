"""Tests of the comparison of two runs of a suite."""

from __future__ import annotations

import json
from pathlib import Path

from tests.benchmarks.lifted.__main__ import SUITES
from tests.benchmarks.lifted.outcome import outcome

PLAIN = """<testsuites><testsuite>
<testcase classname="a" name="fine"/><testcase classname="a" name="found"/>
<testcase classname="a" name="lost"/>
<testcase classname="a" name="broken"><failure/></testcase>
</testsuite></testsuites>"""
LIFTED = """<testsuites><testsuite>
<testcase classname="a" name="fine"/>
<testcase classname="a" name="found">
<properties><property name="devlint" value=""/></properties><failure/>
</testcase>
<testcase classname="a" name="lost"><failure/></testcase>
<testcase classname="a" name="broken"><failure/></testcase>
</testsuite></testsuites>"""


def test_what_is_lost_has_no_mistake(tmp_path: Path) -> None:
    plain, lifted, report = (tmp_path / name for name in ("plain.xml", "lifted.xml", "lifted.json"))
    plain.write_text(PLAIN, "utf-8")
    lifted.write_text(LIFTED, "utf-8")
    mistakes = [{"filename": "/lib/core.py", "location": {"row": 7}, "code": "DL102"}]
    report.write_text(json.dumps({"mistakes": mistakes}), "utf-8")
    seen = outcome(plain, lifted, report)
    assert seen.plain.passed == {"a::fine", "a::found", "a::lost"}
    assert seen.lost == {"a::lost"}
    assert seen.places == ("core.py:7 DL102",)


def test_suites_say_what_is_run() -> None:
    for suite in SUITES.values():
        assert len(suite["commit"]) == 40
        assert suite["package"] and suite["tests"]
