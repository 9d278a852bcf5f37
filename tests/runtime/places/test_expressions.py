"""Tests of the names of a call's operands in the program."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlint.runtime.places.expressions import (
    first_called,
    keyword_texts,
    names_beside,
    operand_texts,
    part_of,
    plain,
)


@pytest.mark.parametrize(
    ("text", "operator", "texts"),
    [
        ("x + self.mask", "torch.Tensor.add", ("x", "self.mask")),
        ("1 - x", "torch.Tensor.__rsub__", ("x", "1")),
        ("x += y[0]", "torch.Tensor.add_", ("x", "y[0]")),
        ("x == y", "torch.Tensor.eq", ("x", "y")),
        ("-x", "torch.Tensor.neg", ("x",)),
        ("x in seen", "torch.Tensor.__contains__", ("seen", "x")),
        ("table[index]", "torch.Tensor.__getitem__", ("table", "index")),
        ("torch.cat([a, b], 1)", "torch.cat", ("[a, b]", "1")),
        ("loss.item()", "torch.Tensor.item", ("loss",)),
        ("x.to(device)", "torch.Tensor.to", ("x", "device")),
        ("total = total + loss.item()", "torch.Tensor.add", ("total", "loss.item()")),
        ("return F.linear(x, w)", "torch.nn.functional.linear", ("x", "w")),
        ("float(loss)", "torch.Tensor.__float__", ("loss",)),
        ("done.any()", "torch.Tensor.__bool__", ("done.any()",)),
        ("f'loss {loss:.3f}'", "torch.Tensor.__format__", ("loss",)),
        ("print(loss)", "torch.Tensor.__repr__", ("loss",)),
    ],
)
def test_the_program_s_own_words_stand_for_the_operands(
    text: str, operator: str, texts: tuple[str, ...]
) -> None:
    assert operand_texts(text, operator) == texts


@pytest.mark.parametrize(
    ("text", "operator"),
    [
        ("model(x)", "torch.nn.functional.linear"),
        ("torch.add(*pair)", "torch.add"),
        ("f'{a} {b}'", "torch.Tensor.__format__"),
        ("print(a, b)", "torch.Tensor.__repr__"),
        ("x +", "torch.Tensor.add"),
        ("", "torch.Tensor.add"),
    ],
)
def test_what_is_not_that_very_call_has_no_words(text: str, operator: str) -> None:
    assert operand_texts(text, operator) == ()


@pytest.mark.parametrize(
    ("text", "operand", "part"),
    [
        ("layer(x)", "layer", "layer"),
        ("f(g(x), x)", "x", "x"),
        ("x + 'ä' * make( 2,3 )", "make(2, 3)", "make( 2,3 )"),
        ("x @ (y + 1).T", "(y + 1).T", "(y + 1).T"),
        ("(w  # 'é'\n     + make())", "make()", "make()"),
        ("w  # taken from parentheses\n     + f(\n1)", "f(1)", "f(\n1)"),
        ("x += y", "y", "y"),
        ("total = f(x)", "x", "x"),
        ("{'ä': [x]}['ä'][0] + \"y\"", "{'ä': [x]}['ä'][0]", "{'ä': [x]}['ä'][0]"),
    ],
)
def test_an_operand_is_found_in_the_text(text: str, operand: str, part: str) -> None:
    extent = part_of(text, operand)
    assert extent is not None
    lines = text.split("\n")[extent.line : extent.end_line + 1]
    lines[-1] = lines[-1][: extent.end_column]
    lines[0] = lines[0][extent.column :]
    assert "\n".join(lines) == part


def test_of_equal_parts_the_outermost_is_the_operand() -> None:
    assert part_of("f(g(x), x)", "x") == (0, 8, 0, 9)


@pytest.mark.parametrize(
    ("text", "operand"),
    [("layer(x)", "y"), ("layer(x", "x"), ("", "x"), ("layer(x)", ""), ("layer(x)", "the input")],
)
def test_what_is_not_in_the_text_is_not_found(text: str, operand: str) -> None:
    assert part_of(text, operand) is None


def test_keyword_arguments_go_by_their_names() -> None:
    assert keyword_texts("torch.full((2,), 1.0, device=self.device)") == {"device": "self.device"}


def test_layout_makes_no_difference() -> None:
    assert plain("torch.full( (2, 3),\n  1.0)") == plain("torch.full((2, 3), 1.0)")
    assert plain("torch.full(") == ""


@given(st.text(), st.sampled_from(["torch.add", "torch.Tensor.__getitem__", "torch.Tensor.__bool__"]))
def test_wild_text_is_no_reason_to_fail(text: str, operator: str) -> None:
    assert isinstance(operand_texts(text, operator), tuple)
    assert isinstance(keyword_texts(text), dict)


@pytest.mark.parametrize(
    ("text", "part", "names"),
    [
        ("(torch.ones(n) * i).long()", "torch.ones( n )", ("i",)),
        ("torch.exp(-log(10.0) * torch.arange(n) / half)", "torch.arange(n)", ("half", "torch")),
        ("make(3).view(size=shape)", "make(3)", ("shape",)),
        ("make(3)", "make(3)", None),
        ("make(3) * self.scale", "make(3)", None),
        ("x * y", "make(3)", None),
        ("x *", "x", None),
    ],
)
def test_names_from_which_the_rest_of_an_expression_is_computed(
    text: str, part: str, names: tuple[str, ...] | None
) -> None:
    found = names_beside(text, part)
    assert (found if found is None else tuple(sorted(found))) == names


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("torch.FloatTensor(x)", "torch.FloatTensor"),
        ("FloatTensor(x).unsqueeze(0).t()", "FloatTensor"),
        ("torch.FloatTensor(rows[0])[None].T", "torch.FloatTensor"),
        ("x.unsqueeze(0)", "x.unsqueeze"),
        ("x", ""),
        ("(x + y)", ""),
        ("make()(x)", ""),
        ("not an expression (", ""),
    ],
)
def test_the_function_that_an_expression_begins_with(text: str, function: str) -> None:
    assert first_called(text) == function
