"""Reports on whatever is in names, texts and remarks: it begins no line, no command and no colour."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from functools import partial

import pytest

from devlint.model import Finding, Observed, Related, Silence, Site, Withheld
from devlint.model.visible import visible, visible_start
from devlint.report import FORMATS, Report, SourceText, silenced
from devlint.report.patch import for_stream, patch
from devlint.report.report import BaselineEffect, Untouched, Weighed
from devlint.report.summary import fixes, summary
from devlint.report.totals import Folded, OperatorTotal, RunTotals, Seen
from tests.report.reports import TRAIN, io_of, mismatch, rendered, waiting

ATTACK = "x\n::error::owned\r::error::owned\x1b[2J\x9b1m\u2028::error::owned ##vso[task.setvariable]\u202e"
NAMED = "::error::owned.py"
"""A file name that is a command where it begins a line."""
OWN_COMMANDS = re.compile(r"::(error|warning) title=devlint \(|##vso\[task\.logissue type=")
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def attacked(finding: Finding, path: str) -> Finding:
    """The finding with the attack wherever others may have put it."""
    related = [Related(replace(each.site, path=path), ATTACK, each.label) for each in finding.related]
    fix = None if finding.fix is None else replace(finding.fix, message=ATTACK)
    return replace(
        finding,
        message=ATTACK,
        site=replace(finding.site, path=path, function=ATTACK),
        related=(*related, Related(Site(ATTACK, 1, 1, 1, 1), ATTACK)),
        help=ATTACK,
        fix=fix,
        observed=Observed(2, seconds=0.5),
    )


def hostile(path: str) -> Report:
    """A report in which all text is an attack."""
    text = TRAIN.replace("self.mask = ", f"self.mask = {ATTACK!s} = ".replace("\n", "\t"))
    return Report(
        [attacked(mismatch(), path), attacked(waiting(), path)],
        {path: SourceText(text)},
        checked=2,
        fixed={path: Counter(DL101=2)},
        held=BaselineEffect(path, 1, 1),
        untouched=Untouched(ATTACK, 2),
        weighed=Weighed(path, (ATTACK, f"{path} has changed")),
    )


def of_run(path: str) -> Report:
    """The same of a run."""
    place = OperatorTotal(Site(path, 1, 1, 1, 1), ATTACK, Seen(2), ATTACK)
    totals = RunTotals(
        unspoken=[place],
        folded=[Folded(ATTACK, 2, (Site(path, 1, 1, 1, 1),))],
        remarks=[ATTACK],
        title=ATTACK,
        doubt=ATTACK,
    )
    usual = attacked(mismatch(), path)
    measured = Observed(2, usual=True)
    found = hostile(path)
    return found._replace(run=totals, findings=[*found.findings, replace(usual, observed=measured)])


def require_harmless(text: str) -> None:
    """Lines end in line feeds alone, without control characters, and the commands in them are devlint's."""
    for line in text.split("\n"):
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]", line), line
        own = OWN_COMMANDS.match(line)
        rest = line[own.end() :] if own else line
        assert own or not line.lstrip().startswith("::"), line
        assert "##vso[" not in rest, line


@pytest.mark.parametrize("path", [f"{ATTACK}.py", NAMED, f" {NAMED}"])
@pytest.mark.parametrize("format_", FORMATS)
def test_every_format(format_: str, path: str) -> None:
    for report in (hostile(path), of_run(path)):
        text = rendered(format_, report)
        if format_ == "json-lines":
            assert [json.loads(line)["message"] for line in text.splitlines()][:1] == [ATTACK]
        elif format_ in ("json", "gitlab", "sarif", "rdjson"):
            json.loads(text)
        require_harmless(text)


def test_colours_are_devlints_own() -> None:
    for report in (hostile(NAMED), of_run(ATTACK)):
        require_harmless(COLOURS.sub("", rendered("full", report._replace(colour=True))))


def test_what_stands_beside_the_findings() -> None:
    for report in (hostile(ATTACK), of_run(NAMED)):
        require_harmless("\n".join((*summary(report), *fixes(report))))
    for path in (ATTACK, NAMED):
        withheld = [Withheld(attacked(mismatch(), path), Silence.ONCE)]
        require_harmless(io_of(partial(silenced.render, withheld)))


def test_a_path_that_is_spelled_out_names_the_same_file() -> None:
    assert visible_start("::warning::x.py") == "./::warning::x.py"
    assert visible_start("a::b.py") == "a::b.py"
    assert visible("a[##] #[x] ##x") == "a[##] #[x] ##x"


COMMANDS = ["::error::x", "  ::set-output name=a::x", "##vso[task.complete]", "x\r::error::x"]


@pytest.mark.parametrize("line", COMMANDS)
def test_a_patch_that_a_server_would_obey_is_left_out(line: str) -> None:
    diff = patch("f.py", f"a\n{line}\n", f"b\n{line}\n")
    assert line in diff
    shown = for_stream(diff, terminal=False)
    assert shown.startswith("devlint: the patch of f.py is not shown")
    assert shown.count("\n") == 1


def test_any_other_patch_is_shown_as_it_is() -> None:
    diff = patch("f.py", 'a\r\n"""\n::\n\x1b\n', 'b\r\n"""\n::\n\x1b\n')
    assert for_stream(diff, terminal=False) == diff
    assert "\n \\x1b\n" in for_stream(diff, terminal=True)
