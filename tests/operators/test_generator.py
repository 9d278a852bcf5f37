"""The data files are what the generator writes, and agree with what was recorded of torch itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from devlint.operators import Operator, OperatorArgument, ResultKind, SyncWhen, find, torch_versions

pytest.importorskip("torch")
from tools.operators import __main__ as command
from tools.operators import generate, hand, measured

_KINDS = {
    ResultKind.TENSOR: "tensor",
    ResultKind.SELF: "tensor",
    ResultKind.TENSORS: "tensors",
    ResultKind.SCALAR: "scalar",
    ResultKind.NONE: "none",
}
_TUPLES_OF_SEVERAL = {"torch.atleast_1d", "torch.atleast_2d", "torch.atleast_3d"}
"""One tensor gives a tensor, several give a tuple."""


def _measured_operands() -> Iterator[tuple[Operator, OperatorArgument, measured.Operand]]:
    for name, record in measured.records().items():
        operator = find(name)
        assert operator is not None, name
        if operator.rule in measured.BY_ARGUMENT:
            for argument, operand in measured.by_argument(operator, record):
                yield operator, argument, operand


@pytest.mark.skipif(generate.TORCH not in torch_versions(), reason="made with another torch")
@pytest.mark.parametrize("name", ["operators.tsv", "tensor_attributes.txt", "tensor_methods_of_numbers.txt"])
def test_a_fresh_run_writes_the_same(name: str) -> None:
    assert (command.DATA / name).read_text(encoding="utf-8") == command.files()[name]()


def test_rows_agree_with_measured_0_dim_host_operands() -> None:
    seen = [each for each in _measured_operands() if each[2].zero_dim_host is not None]
    assert len(seen) > 500
    wrong = [
        (operator.name, argument.name)
        for operator, argument, operand in seen
        if operator.takes_zero_dim_host(argument) != operand.zero_dim_host
    ]
    assert wrong == []


def test_rows_agree_with_measured_host_operands() -> None:
    seen = [each for each in _measured_operands() if each[2].host is not None]
    assert len(seen) > 800
    wrong = [
        (operator.name, argument.name)
        for operator, argument, operand in seen
        if operator.must_match(argument) == operand.host
    ]
    assert wrong == []


def test_what_was_seen_to_wait_has_a_wait() -> None:
    silent = [name for name, record in measured.records().items() if record.waits and not _row(name).syncs]
    assert silent == []


def test_what_always_waits_was_never_seen_not_to() -> None:
    never = [
        name
        for name, record in measured.records().items()
        if not record.waits and _row(name).sync.when is SyncWhen.ALWAYS
    ]
    assert never == []


def test_results_agree_with_recorded_results() -> None:
    wrong = []
    for name, seen in measured.results().items():
        result = _row(name).result
        kinds = {_KINDS.get(result.kind, "other"), *(("tensor", "tensors") if result.tensors_with else ())}
        same_kind = seen.kinds - {"other"} <= kinds or name in _TUPLES_OF_SEVERAL
        if not same_kind or {seen.boolean, result.boolean} == {True, False}:
            wrong.append(name)
    assert wrong == []


def test_hand_kept_files_name_their_sources() -> None:
    assert all(row.source for row in hand.rows())
    assert all(alias.source for alias in hand.aliases())
    assert all(correction.source for correction in hand.corrections())
    assert all(past.source for past in hand.history())
    assert all(entry.sync.source for entry in hand.syncs())


def test_a_hand_kept_line_without_a_source_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "aliases.tsv").write_text("# a comment\ntorch.x\ttorch.y\t\n", encoding="utf-8")
    monkeypatch.setattr(hand, "DIRECTORY", tmp_path)
    with pytest.raises(ValueError, match=r"aliases.tsv:2: 3 columns with a source in the last"):
        list(hand.aliases())


def _row(name: str) -> Operator:
    found = find(name, generate.TORCH)
    assert found is not None, name
    return found
