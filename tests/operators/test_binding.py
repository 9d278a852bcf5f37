"""Which argument a value of a call is given for."""

from __future__ import annotations

import pytest

from devlint.operators import UNNAMED, ArgumentKind, Operator, argument_for, find


def _row(name: str) -> Operator:
    row = find(name)
    assert row is not None
    return row


@pytest.mark.parametrize(
    ("operator", "key", "name"),
    [
        ("torch.add", 0, "input"),
        ("torch.add", 1, "other"),
        ("torch.add", "other", "other"),
        ("torch.Tensor.add", 0, "self"),
        ("torch.zeros", 0, "size"),
        ("torch.zeros", 3, "size"),  # `torch.zeros(2, 3, 4, 5)`
        ("torch.einsum", 2, "operands"),
        ("torch.add", "self", "input"),
    ],
)
def test_position_or_keyword_names_the_argument(operator: str, key: int | str, name: str) -> None:
    assert argument_for(_row(operator), key).name == name


def test_no_position_reaches_an_argument_that_is_keyword_only() -> None:
    row = _row("torch.add")
    assert any(each.name == "out" and each.keyword_only for each in row.arguments)
    assert all(argument_for(row, position).name != "out" for position in range(10))
    assert argument_for(row, len(row.positional)) is UNNAMED


def test_undeclared_keyword_names_an_argument_without_meaning_for_devices() -> None:
    for row in (_row("torch.add"), None):
        declared = argument_for(row, "flavour")
        assert (declared.name, declared.kind) == ("flavour", ArgumentKind.OTHER)


def test_position_in_an_unknown_operator_has_no_argument() -> None:
    assert argument_for(None, 0) is UNNAMED
