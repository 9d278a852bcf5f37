"""Applies the records of `oracle.py` and `results.py` to the rows, with precedence over torch's files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from devlint.operators import ArgumentKind, DeviceRule, Dimensions, Operator, OperatorArgument
from devlint.operators.row import word

_RECORD = Path(__file__).parent / "measured.tsv"
_RESULTS = Path(__file__).parent / "results.tsv"
SOURCE = "null CUDA, torch 2.13"
BY_ARGUMENT = (DeviceRule.SAME, DeviceRule.SAME_OR_0_DIM_HOST)
"""The rules whose arguments are judged separately; under the others a host operand has another meaning."""


@dataclass(frozen=True, slots=True)
class Operand:
    """Whether an operand may be on the host while the others are on a device; None if it was not recorded."""

    host: bool | None
    zero_dim_host: bool | None


@dataclass(frozen=True, slots=True)
class Record:
    """The record of one operator."""

    samples: int
    waits: int
    operands: dict[str, Operand]
    """By name, or by position as digits."""


@cache
def records() -> dict[str, Record]:
    """All records by canonical name; of several records of an operator, the one with the most operands."""
    found: dict[str, Record] = {}
    for line in _RECORD.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        name, samples, waits, operands = line.split("\t")
        record = Record(int(samples), int(waits), dict(_operand(cell) for cell in operands.split()))
        if name not in found or len(found[name].operands) < len(record.operands):
            found[name] = record
    return found


def applied(operator: Operator) -> Operator:
    """The operator with the records of its operands and its result.

    An argument is marked only where it departs from the operator's rule, and where all samples agree. What is
    known of the result is kept; what is not known is filled in.
    """
    operator = _with_result(operator)
    record = records().get(operator.name)
    if record is None or operator.rule not in BY_ARGUMENT:
        return operator
    seen = by_argument(operator, record)
    verdicts = {argument.name: operand.zero_dim_host for argument, operand in seen}
    rule = _rule(operator, verdicts)
    plain = replace(operator, rule=rule)
    arguments = tuple(
        _marked(plain, argument, verdicts.get(argument.name)) for argument in operator.arguments
    )
    source = operator.source
    if rule is not operator.rule or arguments != operator.arguments:
        source = f"{operator.source}, outranked by {SOURCE}"
    return replace(operator, rule=rule, arguments=arguments, source=source)


@dataclass(frozen=True, slots=True)
class Returned:
    """The results of all recorded calls of one operator."""

    kinds: frozenset[str]
    """Of `tensor`, `tensors`, `scalar`, `none`, `other`."""
    ranks: frozenset[str]
    """Words of `Rank` that apply to all of them; empty if no rank could be determined."""
    boolean: bool | None
    floating: bool | None
    """Whether those of floating-point samples are floating point; False if none of any sample is."""


@cache
def results() -> dict[str, Returned]:
    """The records of `results.py`, by canonical name."""
    found: dict[str, Returned] = {}
    for line in _RESULTS.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        name, _, kinds, ranks, boolean, floating = line.split("\t")
        found[name] = Returned(
            kinds=frozenset(kinds.split(",")),
            ranks=frozenset(ranks.split(",")) - {"-"},
            boolean={"bool": True, "not-bool": False}.get(boolean),
            floating={"floating": True, "not-floating": False}.get(floating),
        )
    return found


def _with_result(operator: Operator) -> Operator:
    seen = results().get(operator.name)
    if seen is None:
        return operator
    result = operator.result
    if result.boolean is None and "dtype" not in {argument.name for argument in operator.arguments}:
        result = replace(result, boolean=seen.boolean)
    if result.floating is None and not result.boolean:
        result = replace(result, floating=seen.floating)
    if result.rank is Dimensions.UNKNOWN:
        known = next(
            (
                rank
                for rank in (Dimensions.ZERO, Dimensions.OPERANDS, Dimensions.NONZERO)
                if word(rank) in seen.ranks
            ),
            None,
        )
        result = replace(result, rank=known or Dimensions.UNKNOWN)
    return replace(operator, result=result)


def no_wait(name: str) -> str:
    """The source for "it never waits": how many calls did not; empty where some did, or none was tried."""
    record = records().get(name)
    return f"{SOURCE}: none of {record.samples} calls waited" if record and not record.waits else ""


def _rule(operator: Operator, verdicts: dict[str, bool | None]) -> DeviceRule:
    """The rule with which the fewest arguments need a mark."""
    inputs = [
        verdict
        for argument in operator.arguments
        if (verdict := verdicts.get(argument.name)) is not None and not operator.writes_into(argument)
    ]
    if not inputs:
        return operator.rule
    return DeviceRule.SAME_OR_0_DIM_HOST if sum(inputs) * 2 > len(inputs) else DeviceRule.SAME


def _marked(operator: Operator, argument: OperatorArgument, zero_dim_host: bool | None) -> OperatorArgument:
    plain = replace(argument, zero_dim_host=None)
    if zero_dim_host is None or operator.takes_zero_dim_host(plain) == zero_dim_host:
        return plain if zero_dim_host is not None else argument
    return replace(argument, zero_dim_host=zero_dim_host)


def by_argument(operator: Operator, record: Record) -> Iterable[tuple[OperatorArgument, Operand]]:
    """The records, by the arguments of the row."""
    positional = [argument for argument in operator.arguments if not argument.keyword_only]
    for key, operand in record.operands.items():
        if not key.isdigit():
            argument = next((known for known in operator.arguments if known.name == key), None)
        elif int(key) < len(positional):
            argument = positional[int(key)]
        else:
            argument = positional[-1] if positional and positional[-1].variadic else None
        if argument is not None and argument.kind in (ArgumentKind.TENSOR, ArgumentKind.TENSORS):
            yield argument, operand


def _operand(cell: str) -> tuple[str, Operand]:
    """`other=refused/taken`, the verdicts as it is and as a 0-dim tensor; `both` and `-` decide nothing."""
    name, _, verdicts = cell.partition("=")
    host, zero_dim_host, *_ = verdicts.split("/")
    return name, Operand(_decided(host), _decided(zero_dim_host))


def _decided(verdict: str) -> bool | None:
    return {"refused": False, "taken": True}.get(verdict)
