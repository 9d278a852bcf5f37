"""Fixes of real rules on code in any layout: all other bytes stay, and a second run has nothing to fix."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devlint.pipeline.files.document import read_document
from tests.fixed.corpus import comments
from tests.fixed.fixing import fix_all
from tests.fixed.intended import is_intended
from tests.fixed.programs import ALL_RULES

PROGRAMS = {
    "DL102": """
def meet(x: torch.Tensor):
    y = torch.arange(<0, 3, dtype=torch.float32>)
    return x @ (<y>)
""",
    "DL103": """
class Masked(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.linear = nn.Linear(n, n)
        self.mask = torch.ones(<n, n>).triu(<1>)

    def forward(self, x):
        return self.linear(x) * self.mask
""",
    "DL105": """
def upload(x: torch.Tensor, device):
    x.to(<device>)
    return x
""",
    "DL107": """
def mean(x: torch.Tensor):
    y = x.cuda()
    return np.mean(<y, axis=0>)
""",
    "DL112": """
def fast(x: torch.Tensor):
    return (<x.device == "cuda">)
""",
    "DL301": """
def mask(x: torch.Tensor, n: int):
    return x + (torch.full(<(n, n), 0.5>)^.to(<x.device>))
""",
    "DL308": """
def positions(n: int):
    return (torch.arange(<n, device="cuda:1">)^.cuda(<1>))
""",
    "DL402": """
def restore(model: nn.Module, path):
    model.load_state_dict(<torch.load(<path>)>)
""",
}
"""A program with something to fix for each rule. `<`, `>` and `^` and commas are where layout may vary."""
IMPORTS = "import numpy as np\nimport torch\nfrom torch import nn\n"
SPACES = st.sampled_from(["", "", " ", "\n        ", "  # why\n    ", "\n\n  # é, why\n        "])


@st.composite
def layouts(draw: st.DrawFn, program: str) -> str:
    """A program with other space inside its brackets: lines are broken, commented and end in commas."""
    parts: list[str] = []
    for character in program:
        match character:
            case "<" | "^":
                parts.append(draw(SPACES))
            case ">":
                comma = draw(st.sampled_from(["", "", ","])) if _is_call(parts) else ""
                parts += (comma, draw(SPACES))
            case ",":
                parts += (",", draw(SPACES))
            case _:
                parts.append(character)
    return "".join(parts)


def _is_call(parts: list[str]) -> bool:
    """Whether the innermost open bracket is that of a call, where a comma at the end means nothing."""
    depth, text = 0, "".join(parts)
    for position in range(len(text) - 1, -1, -1):
        depth += (text[position] == ")") - (text[position] == "(")
        if depth < 0:
            return text[position - 1].isalnum()
    return False


@pytest.mark.parametrize("code", PROGRAMS)
@settings(max_examples=15)
@given(data=st.data())
def test_all_else_is_kept(code: str, data: st.DataObject) -> None:
    text = IMPORTS + data.draw(layouts(PROGRAMS[code]))
    newline = data.draw(st.sampled_from(["\n", "\r\n"]))
    head, encoding = data.draw(
        st.sampled_from([("", "utf-8"), ("\ufeff", "utf-8"), ("# coding: latin-1\n", "latin-1")])
    )
    before = (head + text).replace("\n", newline).encode(encoding)
    document = read_document(before, "a.py", notebook=False)
    fixed = fix_all(document, "a.py", ALL_RULES, unsafe=False)
    after = fixed.document.to_bytes()

    assert fixed.settled
    assert fixed.counts.keys() <= {code}
    assert fixed.counts or "#" in text
    assert is_intended(ast.parse(document.text), ast.parse(fixed.document.text))
    assert comments(document.text) == comments(fixed.document.text)
    assert after.startswith(head.replace("\n", newline).encode(encoding))
    assert after.decode(encoding).count("\n") == after.decode(encoding).count(newline)
    assert not fix_all(fixed.document, "a.py", ALL_RULES, unsafe=False).counts


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = torch.load(p)\n", 'x = torch.load(p, map_location="cpu")\n'),
        ("x = torch.load('a.pt')  # it's\n", "x = torch.load('a.pt', map_location='cpu')  # it's\n"),
        ("y = 'b'\nx = torch.load(p)\n", "y = 'b'\nx = torch.load(p, map_location='cpu')\n"),
        ("y = '''b's'''\nx = torch.load(p)\n", "y = '''b's'''\nx = torch.load(p, map_location=\"cpu\")\n"),
        # Before Python 3.12, an f-string ends at its own quote, wherever that stands.
        ('x = f"{torch.load(p)}"\n', "x = f\"{torch.load(p, map_location='cpu')}\"\n"),
        ("x = f'{torch.load(p)}'\n", "x = f'{torch.load(p, map_location=\"cpu\")}'\n"),
        ('x = f"""{torch.load(p)}"""\n', 'x = f"""{torch.load(p, map_location=\'cpu\')}"""\n'),
    ],
)
def test_a_fix_is_written_in_the_quotes_around_it(before: str, after: str) -> None:
    document = read_document((IMPORTS + before).encode(), "a.py", notebook=False)
    assert fix_all(document, "a.py", ALL_RULES, unsafe=True).document.text == IMPORTS + after
