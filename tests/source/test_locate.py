"""Sites stand where LibCST's own provider says, and edits do what was asked for and leave Python."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import libcst as cst
import pytest
from hypothesis import assume, given, settings
from libcst.metadata import MetadataWrapper, PositionProvider

from devlint.model import Action, Edit, EditRequest, Site, SiteId
from devlint.source.locate import Located, locate
from devlint.source.lower import lower
from devlint.source.parse import decode, parse
from tests.source.depths import needs_deep_recursion
from tests.source.python_sources import expressions, modules, real_sources


@dataclass
class Source:
    """A text and what was made of it."""

    text: str

    def __post_init__(self) -> None:
        self.module = parse(self.text, "a.py")
        self.lowered = lower(self.module, "a.py")
        self.nodes: Sequence[cst.CSTNode] = self.lowered.nodes
        self.all = [SiteId(number) for number in range(len(self.nodes))]

    def locate(self, sites: Sequence[SiteId] = (), edits: Sequence[EditRequest] = ()) -> Located:
        return locate(self.lowered, "a.py", sites, edits, text=self.text)

    def find(self, fragment: str) -> SiteId:
        """The outermost site whose text is a fragment."""
        located = self.locate(self.all)
        places = {number: located.site(number) for number in self.all}
        found = [number for number, site in places.items() if self.text[site.start : site.end] == fragment]
        assert found, f"no site reads {fragment!r}"
        return max(found, key=lambda number: isinstance(self.nodes[number], cst.BaseExpression))

    def edited(self, *requests: EditRequest) -> str | None:
        located = self.locate(edits=requests)
        edits = [located.edit(request) for request in requests]
        return applied(self.text, [edit for edit in edits if edit]) if all(edits) else None


def applied(text: str, edits: Sequence[Edit]) -> str:
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.content + text[edit.end :]
    return text


def edited(source: str, fragment: str, action: Action, text: str = "", quoted: str = "") -> str | None:
    whole = Source(source)
    quote = whole.find(quoted) if quoted else None
    return whole.edited(EditRequest(whole.find(fragment), action, text, quote))


def assert_agrees_with_libcst(text: str) -> None:
    source = Source(text)
    located = source.locate(source.all)
    positions = MetadataWrapper(source.module, unsafe_skip_copy=True).resolve(PositionProvider)
    lines = _line_starts(text)
    for number in source.all:
        site, expected = located.site(number), positions[source.nodes[number]]
        assert (site.line, site.column) == (expected.start.line, expected.start.column + 1)
        assert (site.end_line, site.end_column) == (expected.end.line, expected.end.column + 1)
        assert site.start == lines[site.line - 1] + site.column - 1
        assert site.end == lines[site.end_line - 1] + site.end_column - 1


def _line_starts(text: str) -> list[int]:
    starts = [0]
    for index, character in enumerate(text):
        if character == "\n" or (character == "\r" and text[index + 1 : index + 2] != "\n"):
            starts.append(index + 1)
    return starts


@settings(max_examples=15)
@given(modules())
def test_sites_of_generated_code_are_libcsts(source: str) -> None:
    assume(parse(source, "a.py").code == source)
    assert_agrees_with_libcst(source)


@pytest.mark.parametrize("path", real_sources(8, seed=2, largest=40_000))
def test_sites_of_real_code_are_libcsts(path: Path) -> None:
    text = decode(path.read_bytes(), path.name).text
    assert_agrees_with_libcst(text)


@pytest.mark.parametrize("path", real_sources(2, seed=3, largest=20_000))
@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_sites_do_not_depend_on_the_newline(path: Path, newline: str) -> None:
    assert_agrees_with_libcst(decode(path.read_bytes(), path.name).text.replace("\n", newline))


@settings(max_examples=15)
@given(modules())
def test_a_site_is_the_same_alone_and_among_others(text: str) -> None:
    source = Source(text)
    located = source.locate(source.all)
    for number in source.all[::7]:
        assert source.locate([number]).site(number) == located.site(number)


def test_what_was_not_asked_for_is_not_known() -> None:
    source = Source("x = 1\ny = 2\n")
    with pytest.raises(KeyError):
        source.locate([SiteId(0)]).site(SiteId(3))


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("indent", ["  ", "\t", "     "])
def test_bodies_within_bodies(newline: str, indent: str) -> None:
    assert_agrees_with_libcst(BODIES.replace(">", indent).replace("\n", newline))


def test_only_the_statements_of_sites_are_known() -> None:
    source = Source(BODIES.replace(">", " "))
    asked, other = source.find("y"), source.find("v")
    located = source.locate([asked])
    assert located.site(asked).start == source.text.index("y = (")
    with pytest.raises(KeyError):
        located.site(other)


BODIES = """\
#!é
class A:  # é

>'''é
'''
>@é(a)
>class B(C):

>># one
>>b = 1
>>def f(self, d=e): # two
>>>if x:
>>>>y = (
>z.é)
>>># three
>>># four
>>def g(self): é(x)
>># five
@w
def h(self):
>>return é
u = v"""


NESTED = """\
import torch
@decorate(a1)
class Net(b1):
    c1 = 0
    @decorate(d1)
    def forward(self, e1=f1):
        g1
        def inner(): return h1
        return lambda: i1
    j1
async def run(): await k1
l1
"""


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("a1", "<module>"),
        ("b1", "<module>"),
        ("Net", "<module>"),
        ("c1", "Net"),
        ("d1", "Net"),
        ("forward", "Net"),
        ("e1", "Net"),
        ("f1", "Net"),
        ("g1", "Net.forward"),
        ("h1", "Net.forward.inner"),
        ("i1", "Net.forward"),
        ("j1", "Net"),
        ("k1", "run"),
        ("l1", "<module>"),
    ],
)
def test_function_is_the_body_that_a_site_stands_in(name: str, function: str) -> None:
    source = Source(NESTED)
    number = source.find(name)
    assert source.locate([number]).site(number).function == function


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffx = f(y)\n",
        "a = 1\n\x0cx = f(y)\n",
        "while a:\n    pass\n\\\n    x = f(y)\n",
        "try:\n    pass\nexcept E : x = f(y)\n",
        "\x0c\x0c# form feeds\n\x0cif a:\n\x0c    x = f(y)\n",
    ],
    ids=["byte order mark", "form feed", "backslash", "space before colon", "form feeds"],
)
def test_characters_that_libcst_drops_shift_nothing(text: str) -> None:
    assert parse(text, "a.py").code != text, "LibCST keeps it now; choose another example"
    source = Source(text)
    call = source.find("f(y)")
    start = text.index("f(y)")
    line = text.count("\n", 0, start) + 1
    column = start - (text.rfind("\n", 0, start) + 1) + 1
    expected = Site("a.py", line, column, line, column + 4, start, start + 4, "<module>")
    assert source.locate([call]).site(call) == expected
    assert source.edited(EditRequest(call, Action.APPEND_ARGUMENT, "z")) == text.replace("f(y)", "f(y, z)")


def test_a_text_that_is_another_gets_no_edits() -> None:
    source = Source("x = f(y)\n")
    request = EditRequest(source.find("f(y)"), Action.APPEND_ARGUMENT, "z")
    located = locate(source.lowered, "a.py", [request.site], [request], text="y = 1\n")
    assert located.edit(request) is None
    assert located.site(request.site).column == 5


def test_without_a_text_the_one_that_libcst_writes_counts() -> None:
    source = Source("x = f(y)\nz = 1")
    request = EditRequest(source.find("f(y)"), Action.APPEND_ARGUMENT, "z")
    located = locate(source.lowered, "a.py", [], [request])
    assert located.edit(request) == Edit(7, 7, ", z")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("f()", "f(D)"),
        ("f( )", "f( D)"),
        ("f(a)", "f(a, D)"),
        ("f(a,)", "f(a, D,)"),
        ("f(a, b , )", "f(a, b, D , )"),
        ("f((a))", "f((a), D)"),
        ("f(*a)", "f(*a, D)"),
        ("f(a, **b)", "f(a, **b, D)"),
        ("f(lambda: a)", "f(lambda: a, D)"),
        ("f(k = (a))", "f(k = (a), D)"),
        ("f((a for a in b))", "f((a for a in b), D)"),
        ("f(a for a in b)", None),
        ("f(device=a)", None),
        ("f(a == b)", "f(a == b, D)"),
        ("(f)(a)", "(f)(a, D)"),
        ("f(\n    a,\n    b,\n)", "f(\n    a,\n    b,\n    D,\n)"),
        ("f(\n    a\n)", "f(\n    a,\n    D\n)"),
        ("f(\n    a, b\n)", "f(\n    a, b, D\n)"),
        ("f(a,  # one\n  b)  # two", "f(a,  # one\n  b,\n  D)  # two"),
        ("f(a  # one\n)", "f(a, D  # one\n)"),
        ("f(\r\n\ta,\r\n)", "f(\r\n\ta,\n\tD,\r\n)"),
        ("f(\n    # nothing\n)", "f(\n    # nothing\nD)"),
    ],
)
def test_append_argument(source: str, expected: str | None) -> None:
    whole = Source(source)
    calls = [number for number in whole.all if isinstance(whole.nodes[number], cst.Call)]
    result = whole.edited(EditRequest(calls[-1], Action.APPEND_ARGUMENT, "device=d"))
    assert result == (expected.replace("D", "device=d") if expected else None)
    if result is not None:
        ast.parse(result)


@pytest.mark.parametrize("path", real_sources(4, seed=4, largest=40_000))
def test_append_argument_to_every_call_of_real_code(path: Path) -> None:
    source = Source(decode(path.read_bytes(), path.name).text)
    calls = [number for number in source.all if isinstance(source.nodes[number], cst.Call)]
    requests = [EditRequest(call, Action.APPEND_ARGUMENT, "zz=1") for call in calls]
    located = source.locate(edits=requests)
    edits = [edit for request in requests if (edit := located.edit(request))]
    tree = ast.parse(applied(source.text, edits))
    given = [node for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "zz"]
    lone = [
        call
        for call in ast.walk(ast.parse(source.text))
        if isinstance(call, ast.Call) and any(isinstance(arg, ast.GeneratorExp) for arg in call.args)
    ]
    assert len(given) == len(edits)
    assert len(calls) - len(lone) <= len(edits) <= len(calls)


@pytest.mark.parametrize(
    ("source", "fragment", "expected"),
    [
        ("y = x.to(d)", "x.to(d)", "y = x"),
        ("y = (a + b).to(d)", "(a + b).to(d)", "y = (a + b)"),
        ("y = (x.to(d))", "x.to(d)", "y = (x)"),
        ("y = (x\n  .to(d)\n  .half())", "x\n  .to(d)", "y = (x\n  .half())"),
        ("y = f(x)[0] . cuda( )", "f(x)[0] . cuda( )", "y = f(x)[0]"),
        ("y = x.to(  # here\n  d)", "x.to(  # here\n  d)", None),
        ("y = to(x)", "to(x)", None),
    ],
)
def test_keep_receiver(source: str, fragment: str, expected: str | None) -> None:
    assert edited(source, fragment, Action.KEEP_RECEIVER) == expected


@pytest.mark.parametrize(
    ("source", "fragment", "text", "expected"),
    [
        ("y = x", "x", ".cpu()", "y = x.cpu()"),
        ("y = (x)", "x", ".cpu()", "y = (x).cpu()"),
        ("y = (a + b)", "a + b", ".cpu()", "y = (a + b).cpu()"),
        ("y = a + b", "a + b", ".cpu()", "y = (a + b).cpu()"),
        ("f(a if b else c)", "a if b else c", ".cpu()", "f((a if b else c).cpu())"),
        ("f(-a)", "-a", "[0]", "f((-a)[0])"),
        ("y = f(x)[0]", "f(x)[0]", ".cpu()", "y = f(x)[0].cpu()"),
        ("f(a + b)", "a + b", ", c", "f(a + b, c)"),
        ("y = (lambda: a)", "lambda: a", ".cpu", "y = (lambda: a).cpu"),
        ("y = a, b", "a, b", ".cpu", "y = (a, b).cpu"),
    ],
)
def test_insert_after(source: str, fragment: str, text: str, expected: str) -> None:
    assert edited(source, fragment, Action.INSERT_AFTER, text) == expected


@settings(max_examples=50)
@given(expressions())
def test_insert_after_is_about_the_whole_expression(source: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = Source(f"y = ({source})\n")
        value = whole.module.body[0]
        assert isinstance(value, cst.SimpleStatementLine)
        (assign,) = value.body
        assert isinstance(assign, cst.Assign)
        number = next(n for n in whole.all if whole.nodes[n] is assign.value)
        result = whole.edited(EditRequest(number, Action.INSERT_AFTER, ".cpu()"))
        assert result is not None
        assert ast.dump(ast.parse(result)) == ast.dump(ast.parse(f"y = ({source}\n).cpu()\n"))


@pytest.mark.parametrize(
    ("source", "fragment", "expected"),
    [
        ("if a:\n    x.to(d)\n", "x.to(d)", "if a:\n    x = x.to(d)\n"),
        ("a; (x).to(d)  # note\n", "(x).to(d)", "a; x = (x).to(d)  # note\n"),
        ("(x.to(d))\n", "(x.to(d))", "x = (x.to(d))\n"),
    ],
)
def test_insert_before_a_statement(source: str, fragment: str, expected: str) -> None:
    assert edited(source, fragment, Action.INSERT_BEFORE, "x = ") == expected


def test_insert_before_an_expression_is_before_its_parentheses() -> None:
    assert edited("y = (x)", "x", Action.INSERT_BEFORE, "-") == "y = -(x)"


@pytest.mark.parametrize(
    ("source", "fragment", "quoted", "text", "expected"),
    [
        ("y = (x)", "x", "", "z", "y = (z)"),
        ("y = f(a, b)", "f(a, b)", "b", "g({})", "y = g(b)"),
        ("y = f((a + b))", "f((a + b))", "a + b", "g({})", "y = g((a + b))"),
        ("y = f(a +\r\n  b)", "f(a +\r\n  b)", "a +\r\n  b", "{}", "y = (a +\n  b)"),
        ("y = f(g(\n  b))", "f(g(\n  b))", "g(\n  b)", "{}", "y = g(\n  b)"),
        ("f(a := b)", "f(a := b)", "a := b", "g(k={})", "g(k=(a := b))"),
    ],
)
def test_replace_and_quote(source: str, fragment: str, quoted: str, text: str, expected: str) -> None:
    assert edited(source, fragment, Action.REPLACE, text, quoted) == expected


@needs_deep_recursion
def test_deep_code_is_located() -> None:
    text = "x = a" + ".b()" * 600 + "\ny = f(x)\n"
    source = Source(text)
    number = next(n for n in source.all if isinstance(source.nodes[n], cst.Name))
    call = max(n for n in source.all if isinstance(source.nodes[n], cst.Call))
    assert source.locate([number]).site(number).end == 5
    assert source.locate([call]).site(call).line == 2
