"""Combines the sources of the table: torch's files, the files maintained by hand, and the record."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import pairwise

from devlint.operators import DeviceRule, Operator, OperatorArgument, Sync, SyncWhen
from devlint.operators.row import decode_arguments, decode_result, encode, member
from tools.operators import hand, measured, measured_kernels
from tools.operators.generate import TORCH, generated
from tools.operators.kernels import kernels
from tools.operators.resolve import required_names

_NO_SYNC = f"no wait is known (torch {TORCH})"


def text() -> str:
    """The content of `devlint/operators/data/operators.tsv`."""
    rows = (encode(operator) for operator in operators())
    return "\n".join((f"# torch {TORCH}", *rows)) + "\n"


def kernels_text() -> str:
    """The content of `devlint/operators/data/kernels.tsv`."""
    *_, table = kernel_stages().values()
    with_syncs = _with_syncs(table, hand.kernel_syncs(), measured_kernels.no_wait)
    rows = (encode(kernel) for name in sorted(with_syncs) for kernel in with_syncs[name])
    return "\n".join((f"# torch {TORCH}", *rows)) + "\n"


def operators() -> list[Operator]:
    """All rows, by name, and by version within a name.

    Raises:
        ValueError: a hand-kept file names something that has no row.
    """
    *_, table = stages().values()
    versions = _with_syncs(table, hand.syncs(), measured.no_wait)
    for past in hand.history():
        _known(table, past.name, "history.tsv")
        versions[past.name] = [_before(past, versions[past.name][0]), *_from(past.until, versions[past.name])]
    for alias in hand.aliases():
        _known(table, alias.target, "aliases.tsv")
        versions[alias.name] = [
            replace(target, name=alias.name, source=f"{alias.source}; {target.source}")
            for target in versions[alias.target]
        ]
    return [operator for name in sorted(versions) for operator in versions[name]]


def stages() -> dict[str, dict[str, Operator]]:
    """The rows without synchronizations, after each stage of their generation.

    Raises:
        ValueError: a hand-kept file names something that has no row.
    """
    from_torch = {name: operator for name in required_names() if (operator := generated(name))}
    by_hand = from_torch | {operator.name: operator for operator in hand.rows()}
    for correction in hand.corrections():
        by_hand[correction.name] = _corrected(_known(by_hand, correction.name, "corrections.tsv"), correction)
    seen = {name: measured.applied(operator) for name, operator in by_hand.items()}
    return {"torch's files": from_torch, "and by hand": by_hand, "and as measured": seen}


def kernel_stages() -> dict[str, dict[str, Operator]]:
    """The rows of ATen's kernels, after each stage of their generation.

    Raises:
        ValueError: a hand-kept file names something that has no row.
    """
    from_torch = kernels()
    by_hand = _all_corrected(from_torch, hand.kernel_corrections())
    seen = {name: measured_kernels.applied(kernel) for name, kernel in by_hand.items()}
    under_modes = _all_corrected(seen, hand.kernel_corrections_under_modes())
    return {
        "torch's files": from_torch,
        "and by hand": by_hand,
        "and as measured": seen,
        "and as modes see them": under_modes,
    }


def _all_corrected(table: dict[str, Operator], corrections: Iterable[hand.Correction]) -> dict[str, Operator]:
    changed = dict(table)
    for correction in corrections:
        kernel = _known(changed, correction.name, "kernels.tsv")
        changed[correction.name] = _corrected(kernel, correction)
    return changed


def _known(table: dict[str, Operator], name: str, file: str) -> Operator:
    try:
        return table[name]
    except KeyError:
        raise ValueError(f"{file}: {name} has no row") from None


def _corrected(operator: Operator, correction: hand.Correction) -> Operator:
    value, source = correction.value, correction.source
    match correction.field:
        case "rule":
            return replace(operator, rule=member(DeviceRule, value), source=source)
        case "arguments":
            return replace(operator, arguments=decode_arguments(value), source=f"{operator.source}; {source}")
        case "argument":
            return _with_argument(operator, decode_arguments(value)[0], source)
        case "result":
            result = decode_result([word for word in value.split(" ") if word != "random"])
            return replace(operator, result=result)
        case "random":
            return replace(operator, random=value == "yes")
        case field:
            raise ValueError(f"corrections.tsv: {correction.name}: {field!r} is no field")


def _with_argument(operator: Operator, argument: OperatorArgument, source: str) -> Operator:
    """The operator with one argument replaced, in the same position.

    Raises:
        ValueError: it has no argument of that name.
    """
    if argument.name not in {known.name for known in operator.arguments}:
        raise ValueError(f"corrections.tsv: {operator.name} has no argument {argument.name!r}")
    arguments = tuple(
        replace(argument, keyword_only=known.keyword_only) if known.name == argument.name else known
        for known in operator.arguments
    )
    return replace(operator, arguments=arguments, source=f"{operator.source}; {source}")


def _before(past: hand.Past, oldest: Operator) -> Operator:
    """The row for the versions before a change of rule."""
    arguments = tuple(replace(argument, zero_dim_host=None) for argument in oldest.arguments)
    return replace(oldest, rule=past.rule, arguments=arguments, until=past.until, source=past.source)


def _from(version: str, rows: list[Operator]) -> Iterable[Operator]:
    """The rows that apply from a version on; the first row of a name may apply to older versions too."""
    yield replace(rows[0], since=version)
    yield from rows[1:]


def _with_syncs(
    table: dict[str, Operator], entries: Iterable[hand.HandSync], no_wait: Callable[[str], str]
) -> dict[str, list[Operator]]:
    """Every row with its synchronizations, split where versions differ; `no_wait` is the source for none."""
    by_name: dict[str, list[hand.HandSync]] = {}
    for entry in entries:
        _known(table, entry.name, "synchronizations.tsv")
        by_name.setdefault(entry.name, []).append(entry)
    return {
        name: list(_split(operator, by_name.get(name, []), no_wait(name) or _NO_SYNC))
        for name, operator in table.items()
    }


def _split(operator: Operator, entries: list[hand.HandSync], no_wait: str) -> Iterable[Operator]:
    """One row for each span of versions in which the same synchronizations hold."""
    borders = {version for entry in entries for version in (entry.since, entry.until) if version}
    edges = [operator.since, *sorted(borders, key=_key), operator.until]
    for since, until in pairwise(edges):
        syncs = [
            entry.sync
            for entry in entries
            if (not entry.since or (since and _key(entry.since) <= _key(since)))
            and (not entry.until or (until and _key(until) <= _key(entry.until)))
        ]
        first, *others = syncs or [Sync(SyncWhen.NEVER, None, no_wait)]
        yield replace(operator, sync=first, also=tuple(others), since=since, until=until)


def _key(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
