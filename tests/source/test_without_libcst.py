"""What is read without LibCST means the same, is found at the same places, and is mended in the same way."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings

from devlint.model import Action, EditRequest, Finding, SiteId
from devlint.pipeline.analyze import analyze
from devlint.rules.engine import judge, resolve
from devlint.rules.registry import all_rules, codes
from devlint.source import UnreadableSource, excerpt, observe
from devlint.source.from_ast.module import sketch
from devlint.source.from_ast.places import places
from devlint.source.locate import locate
from devlint.source.lower import lower
from devlint.source.parse import decode, parse
from tests.source.programs import mutated, programs
from tests.source.python_sources import expressions, modules, real_sources

PATH = "a.py"
BUG = "import torch\nx = torch.ones(2, device='cuda') + torch.ones(2)\n"
IN_A_STRING = 'import torch\nx = f"{torch.ones(2, device=1) + torch.ones(2)}"\n'
"""A finding in a place of which `ast` is not to be trusted."""


def means_the_same(text: str) -> bool:
    """Whether `ast` leads to what LibCST leads to, or leaves it to LibCST."""
    quick = sketch(text)
    return quick is None or quick.body == lower(parse(text, PATH), PATH).body


def stands_the_same(text: str) -> bool:
    """Whether `ast` has every place that it knows where LibCST has it."""
    quick = sketch(text)
    if quick is None:
        return True
    module = parse(text, PATH)
    nodes = lower(module, PATH).nodes
    numbers = [SiteId(number) for number in range(len(nodes))]
    located = locate(module, nodes, PATH, numbers, text=text)
    known = [(number, places(text, PATH, quick, [number])) for number in numbers]
    return all(found is None or found.site(number) == located.site(number) for number, found in known)


def is_mended_the_same(text: str) -> bool:
    """Whether `ast` leads to the edits that LibCST leads to, wherever it knows enough for them."""
    quick = sketch(text)
    if quick is None:
        return True
    module = parse(text, PATH)
    nodes = lower(module, PATH).nodes
    requests = [request for number in range(len(nodes)) for request in changes(SiteId(number))]
    located = locate(module, nodes, PATH, [], requests, text=text)
    known = [(request, places(text, PATH, quick, [], [request])) for request in requests]
    return all(found is None or found.edit(request) == located.edit(request) for request, found in known)


def changes(site: SiteId) -> Iterator[EditRequest]:
    """One of every kind of change."""
    yield EditRequest(site, Action.REPLACE, "z")
    yield EditRequest(site, Action.INSERT_BEFORE, "z = ")
    yield EditRequest(site, Action.INSERT_AFTER, ".cpu()")
    yield EditRequest(site, Action.INSERT_AFTER, ", z")
    yield EditRequest(site, Action.APPEND_ARGUMENT, "device={}", quoted=site)
    yield EditRequest(site, Action.APPEND_ARGUMENT, "k=1")
    yield EditRequest(site, Action.KEEP_RECEIVER)


def with_libcst(text: str) -> list[Finding] | None:
    """What every rule says of a text that LibCST alone has read; None if it refuses the text."""
    try:
        observation = observe(text, PATH, with_libcst=True)
    except UnreadableSource:
        return None
    return resolve(judge(observation.events, all_rules()), observation)


def without_libcst(text: str) -> list[Finding] | None:
    """What every rule says of a text as it is checked."""
    try:
        return analyze(text, PATH, codes())
    except UnreadableSource:
        return None


@settings(max_examples=300)
@given(expressions())
@example("x[(a), (b)]")
@example("x[((a), (b))]")
@example("x[(a),]")
@example("x[(a)[0], (b)]")
@example("x[ ( # (\n a), b]")
@example("x[*a,]")
@example("f(*a, k=1, *b, **c)")
@example("f'{x[(a), b]}{y[(a, b)]}'")
@example("f'''{x = }{ y=!r:>{z=}} {a}''' 'b' f'{c}'")
@example("a and (b and c) and d or e")
@example("f((a)), f((a),), f((a), b), f(b, (a)), f(((a))), f(k=(a)), f(*(a)), f(**(a),)")
@example("((a) for a in (b)), f((a) for a in (b)), f((a for a in b)), f((a for a in b),)")
@example("((a).b)((c)).d()[(e)][(f), (g)] + (-(h)) if (not (i)) else (lambda: (j))")
@example("(a # one )\n), ( # two (\n (b) # three\n ), f( # four\n  c # five )\n , # six\n)")
@example("f(\n  a,\n  k=(b)\n), f(\n*a\n, **b), f( ), (f)( # one\n), f(a)(b), f('a' \"#(\" 'b')")
@example("1, 1.5, 2j, None, True, ..., 'a', b'a', 'a' 'b', f'{a}', f'{a}' 'b', (1), (yield), (await a)")
def test_expressions(source: str) -> None:
    text = f"y = ({source})\n"
    assert means_the_same(text)
    assert stands_the_same(text)
    assert is_mended_the_same(text)


@settings(max_examples=60)
@given(modules())
@example("class A(k=1, *b): pass\n")
@example("del (a, b), c\ndel (a, b)\ndel a,\ndel [a, [b]]\n")
@example("'a' 'b'\nf'a'\nf'{a}'\n'a' f'{b}'\n1\n...\nx = 1\n")
@example("if a: pass\nelif b: pass\nelse:\n    if c: pass\n    else: pass\n")
@example("\u212a = 1\nx = \u212a\n")
@example("e\u0301 = 1\nx = e\u0301\n")
@example("import a.\u212a as b\nglobal \u212b\nf(\u212c=1).\u2130\nx = '\u212a'  # \u212a\n")
@example("class A:\n  @f(é)\n  def g(self, é: int = (ü)):\n    'ä'; x = (a).é(\n b) [ 0 ]\n  y = 1\n")
@example("match x:\n  case 1:\n    def f():\n      return a\ntry: b\nexcept c: d\nfinally: e\n")
@example("x = 1\n\f\ny = 2\nif x: \\\n  y = a . b\n")
@example("class A((b)): a\nclass A(b): a\nclass A((b),): a\nclass A((b), c=d): a\nclass A(*(b)): a\n")
@example("with (a): b\nwith (a), (b): c\nwith (a) as b: c\nwith (a as b): c\nwith (a, (b)): c\n")
@example("@(a)\ndef f(b=(c), *d: (e)) -> (g): return (h)\n@a(b)\nclass C:\n  @(d)\n  def e(): (f); (g); h\n")
@example("del (a)\ndel (a), b\nassert (a), (b)\nraise (a) from (b)\nfor (a) in (b): c\nwhile (a): (b) ; c\n")
@example("if (a): # (b\n  (a) = (b) # )\nelif (c) : (d) [ (e) ] += (f)\nx: (y) = (z)\n(a)\n(\n(a))\n")
@example("match (a):\n  case (b.c) if (d): (e)\n  case (f): g\ntry: (a)\nexcept (b): (c)\n")
def test_modules(source: str) -> None:
    assert means_the_same(source)
    assert stands_the_same(source)
    assert is_mended_the_same(f"{source}\n")


@pytest.mark.parametrize("path", real_sources(15, seed=2))
def test_real_code(path: Path) -> None:
    assert means_the_same(decode(path.read_bytes(), path.name).text)


@pytest.mark.parametrize("number", range(0, len(programs()), 10))
def test_programs(number: int) -> None:
    assert stands_the_same(programs()[number])
    assert is_mended_the_same(programs()[number])


def test_programs_are_read_without_libcst() -> None:
    assert all(sketch(text) is not None for text in programs())


@settings(max_examples=150)
@given(mutated())
def test_findings_are_the_same(text: str) -> None:
    assert without_libcst(text) == with_libcst(text)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    "text",
    [
        f"'''Docstring.'''\n\n# note\n{BUG}",
        f"def f():\n    pass\n    # within\n  # between\n{BUG}\n\ndef g(): pass",
        f"class A:\n\tx = '''\n'''\n{BUG}# last",
        "import torch; y = torch.ones(2); x = torch.ones(2, device='cuda') + y; z = 1\nif x:\n  pass",
        "import torch\n\f\n@a\n\n\ndef f(x = torch.ones(2).cuda() \\\n + torch.ones(2)): pass\n\n",
        "\ufeff".join(("", BUG)),
    ],
)
def test_places_and_fixes_are_the_same(text: str, newline: str) -> None:
    text = text.replace("\n", newline)
    found = without_libcst(text)
    assert found == with_libcst(text)
    assert found or text.startswith("\ufeff")


def test_libcst_parses_only_what_a_finding_is_in(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def noting(text: str, path: str) -> object:
        seen.append(text)
        return parse(text, path)

    monkeypatch.setattr(excerpt, "parse", noting)
    text = f"def f():\n    return 'elsewhere'\n\n{IN_A_STRING}\nclass A:\n    pass\n"
    assert without_libcst(text) == with_libcst(text)
    part = seen[0]
    assert len(part) < len(text)
    assert "{torch.ones" in part
    assert "elsewhere" not in part
    assert "class" not in part


def test_where_the_two_differ_libcst_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    from devlint.source import observation  # noqa: PLC0415

    wrong = sketch(IN_A_STRING.replace("device=1", "device='cpu'").replace("(2)}", "(2).cuda()}"))
    monkeypatch.setattr(observation, "sketch", lambda _: wrong)
    assert without_libcst(IN_A_STRING) == with_libcst(IN_A_STRING)


def test_names_decide_whether_ast_reads_them_as_they_are() -> None:
    assert sketch("K = 'x\u00b2'  # \u212b\n") is not None
    assert sketch("x = '\u212a'\n") is not None
    assert sketch("\u00e9 = '\u212a'\n") is not None
    assert sketch("K = '\u212a'\n") is None, "which may be the name"
    assert sketch("import a.\u212a\n") is None


def test_code_too_deep_for_ast_is_left_to_libcst() -> None:
    text = "x = " + "(" * 150 + "1" + ")" * 150 + " + 1" * 3000 + "\n"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except (RecursionError, MemoryError):
            assert sketch(text) is None
    assert sketch("x = " + "not " * 5000 + "a\n") is None
    assert sketch("x = (\n") is None
    assert sketch("x = '\ud800'\n") is None
    assert sketch("x = '\0'\n") is None
