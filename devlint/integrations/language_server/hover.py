"""The hover text of a place: the findings there, and the device of the operand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from devlint.integrations.language_server.diagnostics import uri_of
from devlint.model import Finding, Site
from devlint.pipeline.texts.editing import Checked, NamedOperand
from devlint.report.message import message
from devlint.rules import registry, wording


def hover(checked: Checked, offset: int, directory: Path) -> str:
    """The text in Markdown; empty if there is none."""
    parts = [_operand(each, directory) for each in checked.at(offset)]
    parts += [_finding(each) for each in checked.findings if each.site.start <= offset <= each.site.end]
    return "\n\n---\n\n".join(parts)


def _operand(placed: NamedOperand, directory: Path) -> str:
    return "\n".join([wording.is_on(placed.operand), *_history(placed, directory)])


def _history(placed: NamedOperand, directory: Path) -> Iterator[str]:
    steps = [f"- {said} ({_link(site, directory)})" for said, site in placed.history]
    if steps:
        yield ""
        yield from steps


def _link(site: Site, directory: Path) -> str:
    name = Path(site.path).name.replace("[", "\\[").replace("]", "\\]")
    return f"[{name}:{site.line}]({uri_of(site, directory)}#L{site.line})"


def _finding(finding: Finding) -> str:
    rule = registry.rule(finding.code)
    assert rule is not None
    head = f"**{finding.code}** {rule.name} ({finding.confidence.value}): {message(finding)}"
    return f"{head}\n\n{rule.documentation()}"
