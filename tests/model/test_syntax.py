"""Trees come out whole, whoever else has some built at the same time."""

from __future__ import annotations

import ast
import gc
import os
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

import pytest

from devlint.model.syntax import ONLY_AST, expression_tree, module_tree

TEXT = "".join(f"x{number} = f(a[{number}], -(b + {number}) * c)\n" for number in range(300))
EXPECTED = ast.dump(ast.parse(TEXT))


def yielding(_: str, __: object) -> None:
    """Let another thread run in the middle of a collection."""
    time.sleep(0)


@contextmanager
def frequent_collections(*also: object) -> Iterator[None]:
    """Collect garbage all the time, and let that do more."""
    threshold, interval = gc.get_threshold(), sys.getswitchinterval()
    gc.set_threshold(10, 1, 1)
    sys.setswitchinterval(1e-6)
    gc.callbacks.extend(also)  # type: ignore[arg-type]
    try:
        yield
    finally:
        for callback in also:
            gc.callbacks.remove(callback)  # type: ignore[arg-type]
        gc.set_threshold(*threshold)
        sys.setswitchinterval(interval)


def test_the_trees_are_those_of_ast() -> None:
    assert ast.PyCF_ONLY_AST == ONLY_AST
    assert ast.dump(module_tree(TEXT)) == EXPECTED
    assert ast.dump(expression_tree("f(x).cpu()")) == ast.dump(ast.parse("f(x).cpu()", mode="eval").body)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("x = (", SyntaxError),
        ("x = '\ud800'", ValueError),
        ("-" * 100_000 + "1", RecursionError),
    ],
)
def test_what_has_no_tree(text: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        module_tree(text)


def test_what_is_parsed_for_a_collection_spoils_nothing() -> None:
    """A destructor that runs while a tree is built may itself want one."""
    parsing = False
    parsed = set()

    def parse_too(_: str, __: object) -> None:
        nonlocal parsing
        if not parsing:
            parsing = True
            parsed.add(ast.dump(module_tree("def f():\n    return g(1 + 2)\n")))
            parsing = False

    with frequent_collections(parse_too):
        dumps = {ast.dump(module_tree(TEXT)) for _ in range(20)}
    assert dumps == {EXPECTED}
    assert parsed == {ast.dump(ast.parse("def f():\n    return g(1 + 2)\n"))}


def test_threads_spoil_nothing_for_each_other() -> None:
    with frequent_collections(yielding), ThreadPoolExecutor(4) as threads:
        dumps = set(threads.map(lambda _: ast.dump(module_tree(TEXT)), range(20)))
    assert dumps == {EXPECTED}


def test_the_filters_of_warnings_are_as_they_were() -> None:
    before = list(warnings.filters)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(lambda _: [module_tree("x = 1\n") for _ in range(1000)], range(8)))
    finally:
        sys.setswitchinterval(interval)
    assert warnings.filters == before
    assert gc.isenabled()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_forked_process_can_parse_while_a_thread_stayed_behind_in_the_parser() -> None:
    done = threading.Event()

    def parse_for_ever() -> None:
        while not done.is_set():
            module_tree(TEXT)

    other = threading.Thread(target=parse_for_ever)
    other.start()
    try:
        for _ in range(20):
            child = os.fork()
            if not child:
                module_tree("x = 1\n")
                os._exit(7)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    finally:
        done.set()
        other.join()


def test_other_threads_that_parse_spoil_nothing() -> None:
    """Those of a program that is observed know of no lock."""
    done = threading.Event()

    def parse_for_ever() -> None:
        while not done.is_set():
            with suppress(SystemError):
                ast.parse("x = f(a + 1)\n")

    other = threading.Thread(target=parse_for_ever)
    other.start()
    try:
        with frequent_collections(yielding):
            dumps = {ast.dump(module_tree("x = f(a + 1)\n")) for _ in range(200)}
    finally:
        done.set()
        other.join()
    assert dumps == {ast.dump(ast.parse("x = f(a + 1)\n"))}


def test_what_python_would_warn_of_is_no_matter() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert isinstance(expression_tree(r"'\d'"), ast.Constant)
        with pytest.raises(SyntaxWarning):
            warnings.warn("filters are as they were", SyntaxWarning, stacklevel=1)
