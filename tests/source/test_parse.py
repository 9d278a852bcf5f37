"""Reading source: the same text as Python reads, the same bytes back, and one clear error for all else."""

from __future__ import annotations

import pickle
import warnings

import libcst as cst
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from devlint.source.parse import UnreadableSource, decode, parse

BOM = b"\xef\xbb\xbf"


def refusal(source: str | bytes) -> UnreadableSource:
    with pytest.raises(UnreadableSource) as caught:
        parse(source, "net/train.py")
    return caught.value


@pytest.mark.parametrize(
    ("data", "encoding", "bom", "text"),
    [
        (b"x = 1\r\n", "utf-8", False, "x = 1\r\n"),
        ("x = 'é'\r".encode(), "utf-8", False, "x = 'é'\r"),
        (BOM + b"x = 1\n", "utf-8", True, "x = 1\n"),
        (BOM + b"# coding: utf-8\n", "utf-8", True, "# coding: utf-8\n"),
        (b"# -*- coding: latin-1 -*-\n'\xe9'", "iso-8859-1", False, "# -*- coding: latin-1 -*-\n'é'"),
        (b"#!/usr/bin/python\r# vim: fileencoding=cp1252\r'\x80'", "cp1252", False, None),
        (b"x = 1\n\n# coding: cp1252\n", "utf-8", False, "x = 1\n\n# coding: cp1252\n"),
        (b"", "utf-8", False, ""),
    ],
)
def test_decoding_follows_mark_and_cookie(data: bytes, encoding: str, bom: bool, text: str | None) -> None:
    decoded = decode(data, "a.py")
    assert (decoded.encoding, decoded.bom) == (encoding, bom)
    assert text is None or decoded.text == text
    assert decoded.encode(decoded.text) == data


@given(
    st.sampled_from(["utf-8", "latin-1", "cp1252", "koi8-r", "shift_jis", "euc-jp", "gb18030", "iso2022_jp"]),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.text(max_size=30),
    st.booleans(),
)
def test_text_written_back_has_the_same_bytes(encoding: str, newline: str, text: str, bom: bool) -> None:
    source = f"# coding: {encoding}{newline}{text}"
    data = source.encode(encoding, "replace")
    if bom and encoding == "utf-8":
        data = BOM + data
    try:
        decoded = decode(data, "a.py")
    except UnreadableSource:
        return
    assert decoded.encode(decoded.text) == data
    assert decoded.text == data.removeprefix(BOM).decode(encoding)


@given(st.binary(max_size=40) | st.binary(max_size=40).map(lambda data: b"# coding: " + data))
@example(b"# coding: utf-7\n+AGE-")
@example(b"# coding: rot13\n")
@example(b"# coding: idna\n\xff")
@example(b"# coding: undefined\n")
def test_any_bytes_are_read_and_written_back_or_refused(data: bytes) -> None:
    try:
        decoded = decode(data, "a.py")
        assert decoded.encode(decoded.text) == data
    except UnreadableSource:
        return


@pytest.mark.parametrize(
    "data",
    [
        BOM + BOM + b"x = 1\n",
        BOM + BOM,
        b"# coding: utf-7\n+/v8-",
        b"# coding: punycode\nimport torch\n#-",
        b"# coding: punycode\n#-",
        b"x = '\xff'\n",
        b"x\xff = 1\n",
        b"# coding: ascii\n# \xff\n",
        b"x = ( # \xff\n",
    ],
)
def test_what_python_refuses_is_never_clean(data: bytes) -> None:
    with pytest.raises((SyntaxError, ValueError)):
        compile(data, "a.py", "exec")
    with pytest.raises(UnreadableSource):
        parse(data, "a.py")


@pytest.mark.parametrize("data", [b"x = 1  # \xff\n", b"# \xe9t\xe9", b"# coding: utf-8\n#\x80\ny\n"])
def test_a_comment_may_hold_bytes_that_are_no_text(data: bytes) -> None:
    compile(data, "a.py", "exec")
    decoded = decode(data, "a.py")
    parse(decoded.text, "a.py")
    with pytest.raises(UnreadableSource, match="a comment holds bytes that are not utf-8"):
        decoded.encode(decoded.text)


@given(
    st.text(max_size=60)
    | st.text(alphabet="()[]{}'\"\\\n\t\x0c #:=fbx0+.,\r\0", max_size=60)
    | st.binary(max_size=60)
)
def test_anything_is_parsed_or_refused(source: str | bytes) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            assert isinstance(parse(source, "a.py"), cst.Module)
        except UnreadableSource as error:
            assert error.line >= 1
            assert error.column >= 1
            assert error.reason
            assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("source", "line", "column", "words"),
    [
        ("x = 1\nx = = 2\n", 2, 5, "invalid syntax"),
        ("x = 1\nprint 'a'\n", 2, 1, "Missing parentheses"),
        ("if x:\ny = 1\n", 2, 1, "indented block"),
        ("x = 'abc\n", 1, 5, "unterminated string"),
        ("x = (\n", 1, 5, "never closed"),
        (b"# coding: no-such-codec\n", 1, 1, "unknown encoding"),
        (BOM + b"# coding: latin-1\n", 1, 1, "encoding problem"),
        ("y = 1\nz = 'é".encode() + b"\xff'\n", 2, 7, "byte 0xff is not utf-8"),
        (b"# coding: ascii\nx = '\xe9'\n", 2, 6, "byte 0xe9 is not ascii"),
        (b"x = 1\r\ny = '\0'\n", 2, 6, "null character"),
        ("a\r'\ud800'", 2, 2, "lone surrogate"),
        ("a = 1\nb = " + "(" * 201 + ")" * 201, 1, 1, "brackets are nested too deep"),
        ("x = f'" + "{" * 2 + "{" + "[" * 200 + "]" * 200 + "}'", 1, 1, "brackets are nested too deep"),
        ("x = " + "(" * 100_000, 1, 1, "brackets are nested too deep"),
    ],
)
def test_refusals_name_the_place_and_the_reason(
    source: str | bytes, line: int, column: int, words: str
) -> None:
    error = refusal(source)
    assert (error.path, error.line, error.column) == ("net/train.py", line, column)
    assert words in error.reason
    assert str(error) == f"net/train.py:{line}:{column}: {error.reason}"


def test_a_refusal_survives_pickling() -> None:
    error = refusal("x = = 1")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_what_only_libcst_refuses_is_refused_at_its_place() -> None:
    error = refusal("x = 1\n(y): int = 3\n")  # should LibCST learn this, another example is needed
    assert (error.line, error.reason) == (2, "LibCST cannot parse it from here on")


@pytest.mark.parametrize(
    "source",
    [
        "x = " + "(" * 200 + "1" + ")" * 200,
        "x = '" + "(" * 500 + "'  # " + "[" * 500,
        "x = '''" + "(\n" * 500 + "'''",
        'x = "\\"' + "(" * 500 + '"',
        "f('(')\n" * 300,
        "f(f'({x}')\n" * 300,
        "x = " + " and ".join(["a"] * 20_000),
        "if a: pass\n" + "elif b: pass\n" * 20_000,
    ],
    ids=["brackets", "text", "long text", "escaped quote", "unbalanced text", "unbalanced f", "and", "elif"],
)
def test_deep_but_legal_code_is_parsed(source: str) -> None:
    assert len(parse(source, "a.py").body) >= 1


def test_characters_that_the_encoding_lacks_are_refused_when_writing() -> None:
    decoded = decode(b"# coding: latin-1\nx = 1\n", "a.py")
    with pytest.raises(UnreadableSource, match=r"a.py:2:5: '→' cannot be written in .* iso-8859-1"):
        decoded.encode("# coding: latin-1\nx = '→'\n".replace("'", "", 1))
