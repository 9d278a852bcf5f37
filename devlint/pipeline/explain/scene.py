"""The facts of the source observer about a line: findings of any confidence, and the devices of operands."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from devlint.model import Finding, Kind, Operand, Site, SiteId
from devlint.model.lines import Lines
from devlint.model.syntax import module_tree
from devlint.pipeline.analysis.analysis import Claim, Rules
from devlint.pipeline.analysis.merge import merged
from devlint.pipeline.explain.local_files import LocalFile, text_at
from devlint.pipeline.files.shown_path import shown_path
from devlint.project.modules import Modules
from devlint.report import SourceText
from devlint.rules import wording
from devlint.source.unreadable import UnreadableSource

MOST_OPERANDS = 6


class Placed(NamedTuple):
    """An operand, its site, and its origin in words with places."""

    operand: Operand
    site: Site
    history: tuple[str, ...]


class Scene(NamedTuple):
    """The facts about a statement."""

    findings: tuple[tuple[Finding, SourceText], ...] = ()
    operands: tuple[Placed, ...] = ()


def scene(place: LocalFile, programs: Sequence[LocalFile], codes: frozenset[str], directory: Path) -> Scene:
    """The facts about the statement at a place, from the first program with a finding there, else from the
    first that reaches it. Nothing is executed."""
    lines = _statement(place)
    best = Scene()
    for program in programs:
        found = _shown(program, place, lines, codes, directory)
        if found.findings:
            return found
        best = best if best.operands else found
    return best


def _shown(
    program: LocalFile, place: LocalFile, lines: range, codes: frozenset[str], directory: Path
) -> Scene:
    # The interpreter takes longer to import than most texts to recognise.
    from devlint.pipeline.analysis.claims import claims, wanted  # noqa: PLC0415
    from devlint.source import observe  # noqa: PLC0415
    from devlint.source.machine.interprocedural.watching import Whereabouts  # noqa: PLC0415
    from devlint.source.module_graph import ModuleGraph  # noqa: PLC0415

    at = ModuleGraph(Modules({})).place(str(program.path))
    try:
        observation = observe(
            program.text, str(program.path), place=at, wanted=wanted(codes), watch=Whereabouts()
        )
        home = "" if program.path == place.path else str(place.path)
        said = [each for each in claims(observation, Rules(codes)) if _speaks_of(each, place, lines)]
        held = {
            site: operands
            for site, operands in observation.whereabouts.items()
            if observation.home(site) == home
        }
        located = observation.locate(held)
        here = {site: operands for site, operands in held.items() if located.site(site).line in lines}
        steps = {step.site for each in here.values() for one in each for step in one.origin.steps}
        located = observation.locate([*here, *steps])
    except (UnreadableSource, RecursionError):
        return Scene()

    def named(site: Site) -> Site:
        return replace(site, path=shown_path(Path(site.path), directory))

    def at_site(site: SiteId) -> str:
        found = named(located.site(site))
        return f"{found.path}:{found.line}:{found.column}"

    operands = [
        Placed(
            operand,
            named(located.site(site)),
            tuple(f"{note.message} ({at_site(note.site)})" for note in wording.history(operand)),
        )
        for site, each in here.items()
        for operand in each
        if operand.kind is not Kind.DEVICE
    ]
    texts = {str(each.path): each.text for each in (program, place)}
    findings = [
        (_named(each, directory), SourceText(_text(each.site.path, texts)))
        for each in sorted(merged(said), key=lambda each: (each.confidence.rank, each.sort_key))
    ]
    return Scene(tuple(findings), tuple(operands))


def _text(path: str, texts: dict[str, str]) -> str:
    """The text of a file with a note of a finding."""
    if path not in texts:
        texts[path] = text_at(Path(path)) or ""
    return texts[path]


def _named(finding: Finding, directory: Path) -> Finding:
    def named(site: Site) -> Site:
        return replace(site, path=shown_path(Path(site.path), directory))

    related = tuple(replace(each, site=named(each.site)) for each in finding.related)
    return replace(finding, site=named(finding.site), related=related)


def _speaks_of(claim: Claim, place: LocalFile, lines: range) -> bool:
    """Whether a finding is about a statement: its site or its cause is there; if it is in another file,
    whether its calls lead there."""
    site = claim.finding.site
    if site.path != str(place.path):
        return any(
            each.site.path == str(place.path) and _meets(each.site, lines) for each in claim.finding.related
        )
    return _meets(site, lines) or (
        claim.cause is not None and Lines(place.text).position(claim.cause[0])[0] in lines
    )


def _meets(site: Site, lines: range) -> bool:
    return site.line < lines.stop and site.end_line >= lines.start and site.line > 0


def _statement(place: LocalFile) -> range:
    """The lines of the innermost statement at a line; for a compound statement, those of its header."""
    try:
        tree = module_tree(place.text)
    except (SyntaxError, ValueError, RecursionError):
        return range(place.line, place.line + 1)
    best = range(place.line, place.line + 1)
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            end = _end(node)
            if node.lineno <= place.line <= end:
                best = range(node.lineno, end + 1)
    return best


def _end(node: ast.stmt) -> int:
    bodies: Iterable[ast.stmt] = getattr(node, "body", ())
    first = next(iter(bodies), None)
    last = node.end_lineno or node.lineno
    return last if first is None or first.lineno <= node.lineno else first.lineno - 1
