"""String literals have the values that Python gives them."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings

from hypothesis import assume, example, given
from hypothesis import strategies as st

from devlint.source.lowering.literals import string_value

PREFIXES = st.sampled_from(["", "u", "U", "r", "R", "b", "B", "br", "Rb", "bR"])
QUOTES = st.sampled_from(["'", '"', "'''", '"""'])
PIECES = st.sampled_from([
    "a", "'", '"', "\\", "\n", "\r\n", "\r", "n", "x4", "1", "7", "u00e9", "U0001f600", "N", "{BULLET}",
    "é", " ", "{", "}", "0",
])  # fmt: skip


@given(PREFIXES, QUOTES, st.lists(PIECES, max_size=8).map("".join))
@example("", "'", "\\777")
@example("b", "'", "\\777\\xff")
@example("", "'''", "\\\r\n\r")
@example("", "'", "\\N{LATIN SMALL LETTER E WITH ACUTE}\\ud800")
def test_values_are_pythons(prefix: str, quote: str, body: str) -> None:
    source = f"{prefix}{quote}{body}{quote}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(source, mode="eval")
        except (SyntaxError, ValueError):
            assume(False)
    assume(_is_one_literal(source))  # and not several side by side
    assert string_value(source) == ast.literal_eval(tree)


def _is_one_literal(source: str) -> bool:
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return sum(token.type == tokenize.STRING for token in tokens) == 1
