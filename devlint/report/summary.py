"""The lines that close a report for people."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.model.visible import visible, visible_start
from devlint.report.amounts import count
from devlint.report.report import BaselineEffect, Report, Weighed
from devlint.rules import registry


def summary(report: Report) -> Iterator[str]:
    """How much was found, was fixed, and can be fixed; for a run, see `closing_lines`."""
    if report.closing:
        yield from map(visible_start, _lines(report))


def _lines(report: Report) -> Iterator[str]:
    if report.run is not None:
        from devlint.report.totals import closing_lines  # noqa: PLC0415  # a check has none

        yield from closing_lines(report.run, len(report.shown), report.usual)
        return
    remaining, fixed = len(report.findings), report.fixed_count
    if fixed:
        yield f"Found {count(remaining + fixed, 'finding')} ({fixed} fixed, {remaining} remaining)."
    elif remaining:
        yield f"Found {count(remaining, 'finding')}."
    elif report.complete and report.checked:
        yield _passed(report)
    if any(report.below.values()):
        yield _less_sure(report)
    if report.held is not None:
        yield from _of_baseline(report.held)
    if report.untouched is not None and report.untouched.hidden:
        hidden = count(report.untouched.hidden, "finding")
        yield f"{hidden} not shown that the change since {report.untouched.rev} does not touch."
    if report.weighed is not None:
        yield from _of_run(report, report.weighed)
    if not remaining:
        return
    from devlint.model import Applicability  # noqa: PLC0415  # without a finding it is not needed

    fixable = sum(report.fixable(finding) for finding in report.findings)
    unsafe = (
        0
        if report.unsafe_fixes
        else sum(
            finding.fix is not None and finding.fix.applicability is Applicability.UNSAFE
            for finding in report.findings
        )
    )
    more = f"{count(unsafe, 'unsafe fix', 'unsafe fixes')} available with `--fix --unsafe-fixes`"
    if fixable:
        option = "--fix --unsafe-fixes" if report.unsafe_fixes else "--fix"
        yield f"[*] {fixable} fixable with `{option}`" + (f" ({more})." if unsafe else ".")
    elif unsafe:
        yield f"{more}."


def _passed(report: Report) -> str:
    """The line without findings: how many files were checked, with how many rules."""
    if report.rules is None:
        return "All checks passed!"
    known = set(registry.codes()) - registry.ONLY_IN_A_RUN
    on = len(known & report.rules)
    rules = f"all {on} rules" if on == len(known) else f"{on} of {len(known)} rules"
    more = "" if on == len(known) else " (`--extend-select ALL` turns on the rest)"
    return f"All checks passed! Checked {count(report.checked, 'file')} with {rules}{more}."


def _less_sure(report: Report) -> str:
    """How many findings are below the requested confidence, and the option that shows them."""
    least = "possible" if report.below.get("possible") else "likely"
    hidden = sum(report.below.values())
    kind = "possible" if hidden == report.below.get("possible") else "less certain"
    them = "it" if hidden == 1 else "them"
    return f"{count(hidden, f'{kind} finding')} not shown (`--confidence {least}` shows {them})."


def _of_baseline(held: BaselineEffect) -> Iterator[str]:
    """How many findings the baseline hides, and how many of its entries are obsolete."""
    if held.known:
        yield f"{count(held.known, 'finding')} in {held.name} not shown."
    if held.gone:
        are, them = ("is", "it") if held.gone == 1 else ("are", "them")
        fixed = f"{count(held.gone, 'finding')} in {held.name} {are} fixed"
        yield f"{fixed} (`--write-baseline {held.name}` takes {them} out)."


def _of_run(report: Report, weighed: Weighed) -> Iterator[str]:
    """How many findings the run confirms or contradicts, and what it cannot show."""
    from devlint.model import InRun  # noqa: PLC0415  # few checks have a run beside them

    numbers = [
        f"{sum(each.in_run is verdict for each in report.findings)} {verdict.name.lower().replace('_', ' ')}"
        for verdict in (InRun.SEEN, InRun.CONTRADICTED, InRun.NOT_REACHED)
    ]
    if report.findings:
        yield f"In the run of {weighed.name}: {', '.join(numbers)}."
    for remark in weighed.remarks:
        yield f"{remark[0].upper()}{remark[1:]}."


def fixes(report: Report) -> Iterator[str]:
    """The fixes that were applied, by file."""
    if report.fixed:
        yield f"Fixed {count(report.fixed_count, 'finding')}:"
    for path, counts in sorted(report.fixed.items()):
        yield f"- {visible(path)}:"
        for code, times in sorted(counts.items()):
            yield f"    {times} {code}"
