"""Lowering of LibCST's tree."""

from __future__ import annotations

import ast
import warnings

import libcst as cst
import pytest
from hypothesis import given, settings

from devlint.model import SiteId
from devlint.source import ir
from devlint.source.lower import Lowered, lower
from devlint.source.lowering.expressions import EXPRESSIONS
from devlint.source.lowering.patterns import PATTERNS
from devlint.source.lowering.statements import STATEMENTS
from devlint.source.parse import UnreadableSource, parse
from devlint.source.walk import text, walk
from tests.source.depths import needs_deep_recursion
from tests.source.python_sources import modules


def lowered(source: str) -> Lowered:
    return lower(parse(source, "test.py"), "test.py")


def only_expression(source: str) -> ir.Expression:
    (statement,) = lowered(source).body
    assert isinstance(statement, ir.Evaluate)
    return statement.value


def value_of(source: str) -> object:
    (statement,) = lowered(f"x = {source}\n").body
    assert isinstance(statement, ir.Assign)
    assert isinstance(statement.value, ir.Constant)
    return statement.value.value


@settings(max_examples=15)
@given(modules())
def test_every_site_has_its_own_node(source: str) -> None:
    result = lowered(source)
    sites = _sites(result.body)
    assert len(sites) == len(set(sites))
    assert all(0 <= site < len(result.nodes) for site in sites)


def _sites(value: object) -> list[SiteId]:
    if isinstance(value, tuple):
        return [site for item in value for site in _sites(item)]
    names: tuple[str, ...] = getattr(type(value), "__slots__", ())
    found = [value.id] if "id" in names else []  # type: ignore[attr-defined]
    return found + [site for name in names if name != "id" for site in _sites(getattr(value, name))]


def test_every_kind_of_node_that_libcst_has_is_known() -> None:
    concrete = {
        kind
        for kind in vars(cst).values()
        if isinstance(kind, type)
        and issubclass(
            kind, (cst.BaseExpression, cst.BaseSmallStatement, cst.BaseStatement, cst.MatchPattern)
        )
        and not kind.__name__.startswith("Base")
    }
    parts = {cst.MatchStar, cst.MatchSequenceElement}
    abstract = {cst.MatchPattern, cst.MatchSequence}
    assert concrete - abstract == {*EXPRESSIONS, *STATEMENTS, *PATTERNS} - parts


def test_function_and_class_sites_are_their_names() -> None:
    result = lowered("@d\nclass Net(A):\n    async def forward(self, x=1): pass\n")
    (net,) = result.body
    assert isinstance(net, ir.ClassDef)
    (forward,) = net.body
    assert isinstance(forward, ir.FunctionDef)
    names = [result.nodes[site] for site in (net.id, forward.id, forward.parameters[1].id)]
    assert [name.value for name in names if isinstance(name, cst.Name)] == ["Net", "forward", "x"]


@pytest.mark.parametrize(
    ("source", "indices"),
    [("x[a, b]", 2), ("x[(a, b)]", 1), ("x[a,]", 1), ("x[a:b]", 1), ("x[*a, b]", 2)],
)
def test_indices(source: str, indices: int) -> None:
    subscript = only_expression(source)
    assert isinstance(subscript, ir.Subscript)
    assert len(subscript.indices) == indices


def test_index_with_a_trailing_comma_is_a_tuple() -> None:
    subscript = only_expression("x[a,]")
    assert isinstance(subscript, ir.Subscript)
    assert isinstance(subscript.indices[0], ir.Sequence)


@pytest.mark.parametrize(
    ("source", "parts"),
    [
        ("f'cuda:{x}'", ["cuda:", "x"]),
        ("'a' f'{x}{{b}}\\n'", ["a", "x", "{b}\n"]),
        ("rf'\\d{x}'", ["\\d", "x"]),
        ("f'{x:>{y}}'", ["x", "y"]),
        ("f'{x:.2f}' 'b'", ["x", "b"]),
    ],
)
def test_formatted_strings(source: str, parts: list[str]) -> None:
    formatted = only_expression(source)
    assert isinstance(formatted, ir.Format)
    assert [part.name if isinstance(part, ir.Name) else part for part in formatted.parts] == parts


def test_formatted_string_without_fields_is_a_constant() -> None:
    assert value_of("f'cuda' ':0'") == "cuda:0"


def test_patterns() -> None:
    source = """\
match x:
    case 1 | None | a.b: pass
    case [first, *_, (2, -1j) as pair]: pass
    case {"key": value, a.b: _, **rest}: pass
    case torch.Tensor(data, shape=[*sizes]) if data: pass
    case _: pass
"""
    (match,) = lowered(source).body
    assert isinstance(match, ir.Match)
    cases = match.cases
    assert [case.names for case in cases] == [
        (), ("first", "pair"), ("value", "rest"), ("data", "sizes"), ()
    ]  # fmt: skip
    assert [type(case.pattern) for case in cases] == [
        ir.AlternativePattern, ir.SequencePattern, ir.MappingPattern, ir.ClassPattern, ir.CapturePattern
    ]  # fmt: skip
    values = [node.value for node in walk(cases) if isinstance(node, ir.ValuePattern)]
    assert [text(value) for value in values] == ["1", "None", "a.b", "2", "-1j"]
    kind = cases[3].pattern
    assert isinstance(kind, ir.ClassPattern)
    assert text(kind.type) == "torch.Tensor"
    assert [keyword for keyword, _ in kind.arguments] == ["", "shape"]


def test_template_strings_keep_their_values_and_format_none() -> None:
    kept = only_expression("t'{x} and {y:>{z}}'")
    assert isinstance(kept, ir.Sequence)
    assert [part.name for part in kept.elements if isinstance(part, ir.Name)] == ["x", "y", "z"]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_newlines_in_strings_are_pythons(newline: str) -> None:
    assert value_of(f"'''a{newline}b\\{newline}c'''") == "a\nbc"


@pytest.mark.parametrize(
    "source", ["'\\8\\d\\x4'", "'\\N{NO SUCH CHARACTER}'", "'\\U99999999'", "b'\\u00e9\\d'"]
)
def test_invalid_escapes_stay_and_warn_of_nothing(source: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value = value_of(source)
    assert value in {source[1:-1], source[2:-1].encode()}


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("type X[T] = list[T]", ir.Assign),
        ("class A[T: int, *U, **P](B): pass", ir.ClassDef),
        ("def f[T = int](x: T) -> T: return x", ir.FunctionDef),
        ("lazy import a.b as c", ir.Import),
        ("lazy from .a import (b as c)", ir.Import),
        ("x = {**d for d in y}", ir.Assign),
        ("x = [*d for d in y]", ir.Assign),
    ],
)
def test_syntax_newer_than_the_oldest_python(source: str, kind: type[ir.Statement]) -> None:
    (statement,) = lowered(source).body
    assert isinstance(statement, kind)


def test_statements_without_effect_leave_no_trace_but_dots_do() -> None:
    assert lowered('"""Docstring."""\npass\n1\n"a" "b"\n').body == ()
    assert [type(statement) for statement in lowered("...\nf'{x}'\n").body] == [ir.Evaluate, ir.Evaluate]


@pytest.mark.parametrize(
    "source",
    [
        "x = " + " and ".join(["a"] * 5000),
        "if a: pass\n" + "elif b: pass\n" * 5000,
        "x = " + " + ".join(["a"] * 1500),
        "x = a" + ".b()[0]" * 200,
        "x = (" + "\n'a'" * 2000 + ")",
        "x = " + "[" * 200 + "]" * 200,
    ],
    ids=["and", "elif", "add", "methods", "strings", "brackets"],
)
def test_long_and_deep_code_is_lowered(source: str) -> None:
    assert len(lowered(source).body) == 1


@needs_deep_recursion
def test_code_that_nests_too_deep_is_refused_with_its_place() -> None:
    with pytest.raises(UnreadableSource) as caught:
        lowered("import torch\n\nx = " + "not " * 2000 + "a\n")
    assert (caught.value.line, caught.value.column) == (3, 1)
    assert "deep" in caught.value.reason


def test_integers_that_python_refuses_are_refused_with_their_place() -> None:
    source = "x = (\n  " + "9" * 5000 + ")"
    with pytest.raises(SyntaxError):
        ast.parse(source)
    with pytest.raises(UnreadableSource) as caught:
        lowered(source)
    assert (caught.value.line, caught.value.column) == (2, 3)
