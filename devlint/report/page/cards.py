"""Each finding as a card: the message, the place, the counts, the history of the operands, the help."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from devlint.model import Finding, Site
from devlint.model.visible import visible
from devlint.report.amounts import observed
from devlint.report.message import message
from devlint.report.place import place
from devlint.report.profile import OperandOrigin, Profile
from devlint.report.sources import SourceText
from devlint.rules import registry

_AROUND = 2
"""The number of lines shown above and below the line of a finding."""
_CODE = re.compile(r"`([^`]*)`")
Sources: TypeAlias = Mapping[str, SourceText]


class SentencePart(NamedTuple):
    """A part of a sentence: text or code."""

    text: str
    is_code: bool


class Line(NamedTuple):
    """A source line: the text before the mark, in it and after it."""

    number: int
    before: str
    marked: str
    after: str
    label: str = ""


class ShownStep(NamedTuple):
    """A step in the history of an operand, or the place of the finding."""

    text: str
    device: str
    place: str
    code: str


class Chain(NamedTuple):
    """The history of one operand."""

    operand: str
    steps: tuple[ShownStep, ...]


class Card(NamedTuple):
    """One finding."""

    number: int
    code: str
    name: str
    severity: str
    message: str
    place: str
    function: str
    measured: str
    frame: tuple[Line, ...]
    chains: tuple[Chain, ...]
    related: tuple[ShownStep, ...]
    help: str
    why: tuple[str, ...]
    """Paragraphs of the rule's documentation."""


def cards(profile: Profile) -> list[Card]:
    """The cards of all findings, in the report's order: the worst first."""
    return [
        _card(number, finding, profile.origins[number], profile)
        for number, finding in enumerate(profile.report.findings)
    ]


def spans(text: str) -> Iterator[SentencePart]:
    """Split a sentence into text and code in backticks."""
    end = 0
    for match in _CODE.finditer(text):
        yield SentencePart(text[end : match.start()], is_code=False)
        yield SentencePart(match[1], is_code=True)
        end = match.end()
    yield SentencePart(text[end:], is_code=False)


def _card(number: int, finding: Finding, origins: Sequence[OperandOrigin], profile: Profile) -> Card:
    sources = profile.report.sources
    told = {stage.site for origin in origins for stage in origin.stages}
    related = [each for each in finding.related if each.site not in told and not each.label]
    usual = finding.observed is not None and finding.observed.usual
    return Card(
        number=number,
        code=finding.code,
        name=finding.name,
        severity="advice" if usual else finding.severity.value,
        message=visible(message(finding)),
        place=place(finding.site),
        function=visible(finding.site.function),
        measured="" if finding.observed is None else observed(finding.observed),
        frame=tuple(_frame(finding, sources.get(finding.site.path, SourceText("")))),
        chains=tuple(_chain(origin, sources) for origin in origins),
        related=tuple(ShownStep(visible(each.message), "", *_shown(each.site, sources)) for each in related),
        help=visible(finding.help),
        why=_why(finding.code),
    )


def _chain(origin: OperandOrigin, sources: Sources) -> Chain:
    return Chain(
        visible(origin.operand),
        tuple(
            ShownStep(visible(stage.text), visible(stage.device), *_shown(stage.site, sources))
            for stage in origin.stages
        ),
    )


def _shown(site: Site | None, sources: Sources) -> tuple[str, str]:
    """A place as text, and its source line."""
    if site is None:
        return "", ""
    source = sources.get(site.path, SourceText(""))
    return place(site), visible(source.line(site.line, site.cell).strip())


def _frame(finding: Finding, source: SourceText) -> Iterator[Line]:
    """The lines around a finding, and the lines with its marks."""
    here = finding.site
    marks = {here.line: (here, "")}
    for related in finding.related:
        site = related.site
        if related.label and (site.path, site.cell) == (here.path, here.cell):
            marks[site.line] = (here if site.line == here.line else site, related.message)
    shown = {line for at in marks for line in range(at - _AROUND, at + _AROUND + 1)}
    for number in sorted(shown):
        text = source.line(number, here.cell)
        if number in marks:
            yield _marked(number, text, *marks[number])
        elif text.strip() or min(marks) < number < max(marks):
            yield Line(number, visible(text), "", "")


def _marked(number: int, text: str, site: Site, label: str) -> Line:
    start = site.column - 1
    end = site.end_column - 1 if site.end_line == site.line else len(text)
    before, marked, after = text[:start], text[start:end], text[end:]
    return Line(number, visible(before), visible(marked), visible(after), visible(label))


def _why(code: str) -> tuple[str, ...]:
    rule = registry.rule(code)
    text = "" if rule is None else rule.sections()["Why it matters"]
    return tuple(" ".join(paragraph.split()) for paragraph in text.split("\n\n") if paragraph.strip())
