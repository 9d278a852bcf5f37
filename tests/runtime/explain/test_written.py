"""Tests of the source text at an error, and of the values of its parts."""

from __future__ import annotations

import ast
import linecache
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType, ModuleType, SimpleNamespace
from typing import Any, cast

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from devlint.runtime.explain.stack import stack
from devlint.runtime.explain.written import MISSING, WrittenExpression


def written(text: str, **variables: Any) -> WrittenExpression:
    """The place where a program with one function `f` fails: the call of `fail`."""
    name = f"<written {abs(hash(text))}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    program = {"torch": torch, "nn": nn, "fail": fail, **variables}
    exec(compile(text, name, "exec"), program)
    try:
        program["f"]()
    except ZeroDivisionError as error:
        levels = [level for level in stack(error) if level.frame.f_code.co_filename == name]
        return WrittenExpression.at(*levels[0])
    raise AssertionError("nothing failed")


def fail(*values: object, **named: object) -> None:
    """The functions that every program calls."""
    raise ZeroDivisionError(values, named)


needs_columns = pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 knows lines only")


@needs_columns
def test_the_very_expression_is_found_among_others_on_its_line() -> None:
    line = "    x = 1; return [len('é'), fail(x), len('b')]"
    found = written(f"def f():\n{line}\n")
    assert found.whole() == "fail(x)"
    assert found.place().endswith(f":2:{line.index('fail') + 1}")


@needs_columns
def test_an_expression_over_several_lines_is_told_on_one() -> None:
    assert written("def f():\n    fail(\n        1,\n        2,\n    )\n").whole() == "fail( 1, 2, )"


def value(found: WrittenExpression, path: str) -> object:
    return found.value_of(ast.parse(path, mode="eval").body)


def test_paths_are_looked_up_in_variables_attributes_and_containers() -> None:
    model = nn.Sequential(nn.Linear(2, 2))
    batch = {"x": [torch.ones(1)]}
    found = written(
        "nowhere, place = None, 0\ndef f():\n    local = batch\n    fail(local['x'][0])\n",
        model=model,
        batch=batch,
    )
    assert value(found, "model[0].weight") is model[0].weight
    assert value(found, "model[-1].bias") is model[0].bias
    assert value(found, "local['x'][-1]") is batch["x"][0]
    assert value(found, "model[place]") is model[0]
    assert value(found, "local['x'][0]") is batch["x"][0]
    assert value(found, "nowhere") is None
    for path in (
        "local['y']",
        "local['x'][1]",
        "local['x'][0] + 1",
        "model[model]",
        "local['x'][-2]",
        "absent",
        "model.absent",
    ):
        assert value(found, path) is MISSING
    assert found.name_of(batch["x"][0]) == "local['x'][0]"
    assert found.name_of(torch.ones(1)) == ""


def test_what_came_in_is_told_from_what_was_made() -> None:
    found = written("def f(given=object()):\n    made = object()\n    fail()\n")
    assert found.is_argument(value(found, "given"))
    assert not found.is_argument(value(found, "made"))


@needs_columns
@pytest.mark.parametrize(
    ("call", "name"),
    [("torch.fail(1)", "torch.fail"), ("fail(1)", f"{__name__}.fail"), ("[fail][0](1)", "")],
)
def test_the_called_functions_full_name(call: str, name: str) -> None:
    module = ModuleType("torch")
    vars(module)["fail"] = fail
    assert written(f"def f():\n    {call}\n", torch=module).callee() == name


class LinesOnly:
    """A code object as Python 3.10 has it."""

    def __init__(self, code: CodeType) -> None:
        self._code = code

    def __getattr__(self, name: str) -> Any:
        if name == "co_positions":
            raise AttributeError(name)
        return getattr(self._code, name)


def lines_only(found: WrittenExpression, frame: FrameType, instruction: int) -> WrittenExpression:
    stand_in = SimpleNamespace(
        f_code=LinesOnly(frame.f_code), f_locals=found.variables, f_globals=found.globals
    )
    return WrittenExpression.at(cast("FrameType", stand_in), instruction)


def test_where_only_lines_are_known_names_need_their_values() -> None:
    text = "def f():\n    x, y = 1000, 2000\n    return (x + y) * fail(x, len('a'))\n"
    name = "<lines>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    program: dict[str, Any] = {"fail": fail}
    exec(compile(text, name, "exec"), program)
    try:
        program["f"]()
    except ZeroDivisionError as error:
        level = next(level for level in stack(error) if level.frame.f_code.co_filename == name)
    found = lines_only(WrittenExpression.at(*level), *level)
    assert found.whole() == ""
    assert found.name_of(found.variables["x"]) == "x"
    assert found.arguments("torch.Tensor.add").positional == ()
    known, unknown = found.arguments("some.fail").positional
    assert found.text_for(known, "", found.variables["x"]) == "x"
    assert found.text_for(unknown, "", 1) == ""


def test_without_source_text_nothing_is_written() -> None:
    program: dict[str, Any] = {"fail": fail}
    exec("def f():\n    fail()", program)
    try:
        program["f"]()
    except ZeroDivisionError as error:
        level = next(level for level in stack(error) if level.frame.f_code.co_filename == "<string>")
    found = WrittenExpression.at(*level)
    assert (found.whole(), found.place(), found.callee()) == ("", "", "")


class Watching:
    """Says when it is asked for anything."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(name)

    def __getitem__(self, key: object) -> Any:
        raise AssertionError(key)


def test_looking_up_a_path_runs_no_code() -> None:
    found = written("def f():\n    fail(watching)\n", watching=Watching())
    assert isinstance(value(found, "watching"), Watching)
    for path in ("watching.x", "watching.x.y", "watching[0]", "watching()", "watching + 1"):
        assert value(found, path) is MISSING


def instructions(code: CodeType) -> Iterator[tuple[CodeType, int]]:
    """Every instruction of a code object and of those within it."""
    yield from ((code, offset) for offset in range(0, len(code.co_code), 2))
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from instructions(constant)


SOURCE = Path(textwrap.__file__).read_text(encoding="utf-8")
INSTRUCTIONS = list(instructions(compile(SOURCE, textwrap.__file__, "exec")))


@settings(max_examples=30)
@given(
    st.sampled_from(INSTRUCTIONS), st.sampled_from(["torch.add", "torch.Tensor.__getitem__", "", "no.such"])
)
def test_any_instruction_of_any_program_has_something_written_or_nothing(
    place: tuple[CodeType, int], operator: str
) -> None:
    code, instruction = place
    frame = SimpleNamespace(f_code=code, f_locals={}, f_globals={})
    found = WrittenExpression.at(cast("FrameType", frame), instruction)
    for node in (*found.arguments(operator).positional, *found.call_arguments().positional):
        assert found.text(node)
        assert found.value_of(node) is MISSING or ast.literal_eval(node) == found.value_of(node)
    assert found.whole() == " ".join(found.whole().split())
