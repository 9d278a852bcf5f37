"""Suppressions: comments that turn findings off.

`# devlint: ignore[DL101, DL201]` turns these codes off, `# devlint: ignore` all codes, and `# devlint:
skip-file`, alone on a line, all codes in the file. `# noqa: DL101` and a bare `# noqa` work, too; codes of
other tools in them are ignored.

A suppression applies to its own line and, on the first or last line of a statement of several lines, to the
whole statement, as in Ruff. `# devlint: ignore` alone on a line applies to the next statement.
"""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum

from devlint.model import Applicability, Edit, Finding, Fix, Site
from devlint.model.lines import Lines
from devlint.project.comments import Comment, CommentLayout, lay_out
from devlint.project.marks import may_suppress
from devlint.project.own_findings import UNREADABLE, UNUSED_SUPPRESSION, own_finding
from devlint.rules import registry

_SKIP_FILE = re.compile(r"^[ \t]*#[ \t]*devlint[ \t]*:[ \t]*skip-file\b", re.MULTILINE)

_DIRECTIVE = re.compile(
    r"#\s*(?:devlint\s*:\s*(?P<word>[A-Za-z-]*)(?:\s*\[(?P<ours>[^\]#]*)\])?"
    r"|(?i:noqa)\b(?P<colon>\s*:\s*(?P<theirs>[A-Z]+[0-9]+(?:[\s,]+[A-Z]+[0-9]+)*)?)?)"
)
_CODE = re.compile(r"[^\s,]+")
_LIKE_OURS = re.compile(r"DL\d{3}\Z")
_STRAY = re.compile(r"\s*(?:[\[=:(]|(?:,\s*)?DL\d)")


class SuppressionKind(Enum):
    """The kinds of suppressions."""

    IGNORE = "ignore"
    NOQA = "noqa"
    SKIP_FILE = "skip-file"
    MISTAKE = "mistake"
    """A comment that addresses devlint but is invalid."""


@dataclass(frozen=True, slots=True)
class Directive:
    """A suppression in a comment. Offsets are those of the text."""

    kind: SuppressionKind
    comment: Comment
    start: int
    end: int
    """The end of the directive itself."""
    until: int
    """The end of the words after it, which give the reason."""
    codes: tuple[str, ...] = ()
    """Empty for all."""
    codes_start: int = 0
    codes_end: int = 0
    mistake: str = ""

    def covers(self, code: str) -> bool:
        """Whether it turns a code off."""
        return not self.codes or code in self.codes


@dataclass(slots=True)
class Suppressions:
    """The suppressions of one text, and which of them were used."""

    lines: Lines
    layout: CommentLayout = field(default_factory=CommentLayout)
    directives: list[Directive] = field(default_factory=list)
    _by_line: dict[int, list[Directive]] = field(default_factory=lambda: defaultdict(list))
    _used: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))

    def __post_init__(self) -> None:
        for directive in self.directives:
            if directive.kind in (SuppressionKind.IGNORE, SuppressionKind.NOQA):
                self._by_line[directive.comment.line].append(directive)

    @property
    def skip_file(self) -> bool:
        """Whether the file is skipped."""
        return any(directive.kind is SuppressionKind.SKIP_FILE for directive in self.directives)

    def filter(self, findings: Iterable[Finding], *, noqa: bool = True) -> list[Finding]:
        """The findings that no suppression covers. Records the used suppressions.

        Without `noqa`, `# noqa` comments count as used but do not suppress, because the caller handles them.
        """
        return [finding for finding in findings if not self._suppressed(finding, noqa=noqa)]

    def unused(self, path: str, on: Collection[str]) -> Iterator[Finding]:
        """A finding, with its fix, for each unused suppression.

        `on` are the codes that were checked. Others are not reported, nor suppressions of all codes, unless
        all default codes were checked.
        """
        everything = registry.default_codes() <= set(on)
        for directive in self.directives:
            if UNUSED_SUPPRESSION in directive.codes:
                continue
            used = self._used[directive.start]
            if directive.kind is SuppressionKind.MISTAKE:
                yield self._finding(path, directive, directive.mistake)
            elif directive.kind is SuppressionKind.IGNORE and not directive.codes:
                if everything and not used:
                    yield self._finding(path, directive, "this suppression suppresses nothing", remove=())
            else:
                yield from self._unused_codes(path, directive, used, on)

    def _unused_codes(
        self, path: str, directive: Directive, used: set[str], on: Collection[str]
    ) -> Iterator[Finding]:
        known = registry.codes()
        idle = [code for code in directive.codes if code in known and code in on and code not in used]
        foreign = directive.kind is SuppressionKind.NOQA
        unknown = [
            code for code in directive.codes if code not in known and (not foreign or _LIKE_OURS.match(code))
        ]
        if unknown:
            near = difflib.get_close_matches(unknown[0].upper(), known, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            named = " and ".join(f"`{code}`" for code in unknown)
            verb = "is no code" if len(unknown) == 1 else "are no codes"
            yield self._finding(path, directive, f"{named} {verb} of devlint{hint}")
        if idle:
            named = " and ".join(idle)
            message = f"this suppression of {named} suppresses nothing"
            yield self._finding(path, directive, message, remove=tuple(idle))

    def _suppressed(self, finding: Finding, *, noqa: bool) -> bool:
        if finding.code in (UNREADABLE, UNUSED_SUPPRESSION):
            return False
        covering = [d for d in self._reaching(finding.site) if d.covers(finding.code)]
        for directive in covering:
            self._used[directive.start].add(finding.code)
        return any(noqa or directive.kind is not SuppressionKind.NOQA for directive in covering)

    def _reaching(self, site: Site) -> Iterator[Directive]:
        first, last = self.layout.logical_line(site.line)
        for line in sorted({site.line, first, last, min(site.end_line, last)}):
            yield from self._by_line.get(line, ())
        for line in {site.line, first}:
            above = line - 1
            while directives := [d for d in self._by_line.get(above, ()) if d.comment.alone]:
                yield from (directive for directive in directives if directive.kind is SuppressionKind.IGNORE)
                above -= 1

    def _finding(
        self, path: str, directive: Directive, message: str, remove: tuple[str, ...] | None = None
    ) -> Finding:
        line, column = self.lines.position(directive.start)
        width = directive.end - directive.start
        site = Site(path, line, column, line, column + width, directive.start, directive.end)
        if remove is None:
            return own_finding(UNUSED_SUPPRESSION, message, site)
        fix = Fix("Remove it", Applicability.SAFE, (self._removal(directive, remove),))
        return own_finding(UNUSED_SUPPRESSION, message, site, "remove it", fix)

    def _removal(self, directive: Directive, codes: tuple[str, ...]) -> Edit:
        """The edit that removes some codes from a directive, or the whole directive, or the whole comment."""
        kept = [code for code in directive.codes if code not in codes]
        if kept:
            return Edit(directive.codes_start, directive.codes_end, ", ".join(kept))
        comment = directive.comment
        end = comment.start + len(comment.text)
        text = self.lines.whole
        if directive.start > comment.start:
            return Edit(len(text[: directive.start].rstrip()), directive.until, "")
        if directive.until < end:
            return Edit(directive.start, directive.until, "")
        if comment.alone:
            last = comment.line == len(self.lines)
            following = len(text) if last else self.lines.start(comment.line + 1)
            return Edit(self.lines.start(comment.line), following, "")
        return Edit(len(text[: comment.start].rstrip(" \t\f")), end, "")


def find(text: str, *, has_findings: bool) -> Suppressions | None:
    """The suppressions of a text; None if there is no relevant one (see `may_suppress`)."""
    if not may_suppress(text, has_findings=has_findings):
        return None
    lines = Lines(text)
    layout = lay_out(lines)
    return Suppressions(lines, layout, list(_directives(layout)))


def skips_file(text: str) -> bool:
    """Whether a comment skips the file."""
    if not _SKIP_FILE.search(text):
        return False
    suppressions = find(text, has_findings=False)
    return suppressions is not None and suppressions.skip_file


def _directives(layout: CommentLayout) -> Iterator[Directive]:
    for comment in layout.comments:
        for match in _DIRECTIVE.finditer(comment.text):
            directive = _directive(comment, match)
            if directive is not None:
                yield directive


def _directive(comment: Comment, match: re.Match[str]) -> Directive | None:
    """The directive of a match; None for a `noqa` with a colon but no code, which Ruff ignores, too."""
    start, end = comment.start + match.start(), comment.start + match.end()
    until = comment.text.find("#", match.end())
    until = comment.start + (until if until >= 0 else len(comment.text))

    def make(kind: SuppressionKind, mistake: str = "") -> Directive:
        return Directive(kind, comment, start, end, until, mistake=mistake)

    if match["word"] is None:
        if match["colon"] is not None and match["theirs"] is None:
            return None
        return _with_codes(make(SuppressionKind.NOQA), match, "theirs")
    if mistake := _mistake(comment, match):
        return make(SuppressionKind.MISTAKE, mistake)
    return (
        make(SuppressionKind.SKIP_FILE)
        if match["word"] == "skip-file"
        else _with_codes(make(SuppressionKind.IGNORE), match, "ours")
    )


def _mistake(comment: Comment, match: re.Match[str]) -> str:
    """The error in a comment that addresses devlint; empty if there is none."""
    word, codes = match["word"], match["ours"]
    if word == "skip-file":
        return "" if comment.alone else "`# devlint: skip-file` must be alone on its line"
    if word != "ignore":
        return f"`{word}` is not a suppression; use `ignore[CODE]` or `skip-file`"
    if codes is None and _STRAY.match(comment.text, match.end()):
        return "codes must be in brackets: `# devlint: ignore[DL101]`"
    return "the brackets contain no code" if codes is not None and not codes.strip(" ,\t") else ""


def _with_codes(directive: Directive, match: re.Match[str], group: str) -> Directive:
    if match[group] is None:
        return directive
    at = directive.comment.start
    return Directive(
        directive.kind,
        directive.comment,
        directive.start,
        directive.end,
        directive.until,
        tuple(_CODE.findall(match[group])),
        at + match.start(group),
        at + match.end(group),
    )
