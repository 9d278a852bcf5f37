"""A stand-in for the analysis, so that what is around it can be tested whatever the rules come to find.

It finds a bug wherever the text says so:

- `BUG` is DL101 with a safe fix that makes it `OK`
- `RISKY` is DL301 with an unsafe fix that makes it `OK`
- `SHOWN` is DL102 with a fix that is only displayed
- `NESTED` is DL101 with a safe fix that makes it `BUG`
- `GROWS` is DL101 with a safe fix that leaves it there and adds to it
- `FOREIGN` is DL101 with a safe fix that makes it `Ж`
- `BREAKS` is DL103 with a safe fix that makes it `(`
- `CRASH` makes the analysis fail, `DEEP` makes it recurse
"""

from __future__ import annotations

import ast
import re

import pytest

from devlint.model import Applicability, Confidence, Edit, Finding, Fix, Severity, Silence, Site, Withheld
from devlint.model.lines import Lines
from devlint.pipeline.analysis import analyze
from devlint.pipeline.analysis.analysis import Analysis, Claim, Rules
from devlint.source.parse import UnreadableSource

FIXES = {
    "BUG": ("DL101", Applicability.SAFE, "OK"),
    "RISKY": ("DL301", Applicability.UNSAFE, "OK"),
    "SHOWN": ("DL102", Applicability.DISPLAY, "OK"),
    "NESTED": ("DL101", Applicability.SAFE, "BUG"),
    "GROWS": ("DL101", Applicability.SAFE, "GROWS + 1"),
    "FOREIGN": ("DL101", Applicability.SAFE, "Ж"),
    "BREAKS": ("DL103", Applicability.SAFE, "("),
    "LIKELY": ("DL105", Applicability.SAFE, "OK"),
    "UNSURE": ("DL104", Applicability.SAFE, "OK"),
    "HELD": ("DL201", Applicability.SAFE, "OK"),
}
_WORDS = re.compile(r"\b(?:" + "|".join(FIXES) + r")\b")


CONFIDENCES = {"LIKELY": Confidence.LIKELY, "UNSURE": Confidence.POSSIBLE}


def find(
    text: str,
    path: str,
    on: Rules,
    place: object = None,  # noqa: ARG001
    *,
    leads: object = None,  # noqa: ARG001
    silenced: bool = False,
    observer: object = None,  # noqa: ARG001
) -> Analysis:
    if "CRASH" in text:
        raise KeyError("a mistake\nof ours")
    if "DEEP" in text:
        raise RecursionError
    try:
        ast.parse(text)
    except SyntaxError as error:
        raise UnreadableSource(path, error.lineno or 1, error.offset or 1, error.msg) from None
    lines = Lines(text)
    found = []
    kept_back = []
    for match in _WORDS.finditer(text):
        code, applicability, content = FIXES[match[0]]
        (line, column), (end_line, end_column) = lines.position(match.start()), lines.position(match.end())
        if code not in on.own or "#" in lines.text(line)[: column - 1]:
            continue
        site = Site(path, line, column, end_line, end_column, match.start(), match.end())
        fix = Fix("Mend it", applicability, (Edit(match.start(), match.end(), content),))
        confidence = CONFIDENCES.get(match[0], Confidence.CERTAIN)
        finding = Finding(
            code, "bug", f"{match[0]} was found", site, Severity.ERROR, fix=fix, confidence=confidence
        )
        if match[0] != "HELD":
            found.append(finding)
        elif silenced:
            kept_back.append(("", Withheld(finding, Silence.PERIODIC)))
    return Analysis([Claim(finding) for finding in found], withheld=kept_back)


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analyze, "analyze", find)
