"""What holds for every program: it parses afterwards, keeps its comments, and is ported once."""

from __future__ import annotations

import ast
import io
import tokenize
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from devlint.port import port
from devlint.project.modules import Modules
from tests.source.python_sources import modules

PATH = "/nowhere/train.py"
DEVICES = st.sampled_from(
    ["x.cuda()", "x.to('cuda')", "torch.ones(2, device='cuda')", "torch.load(f)", "torch.cuda.synchronize()"]
)
TEMPLATES = st.sampled_from(
    [
        "y = {}  # one\n",
        "def f(x):\n    # two\n    return {}\n\n\nf(1)\n",
        "class A:\n    def __init__(self, x):\n        self.x = {}\n\n"
        "    def g(self, x):\n        {}  # three\n\n\nA(1)\n",
        "if torch.cuda.is_available():\n    {}\nelse:\n    x = [{}]  # four\n",
        "f = lambda x: {}\nfor x in y:\n    {}  # five\n",
        "async def g(x, *, k=1):\n    with open({}) as h:  # six\n        return [{} for x in h]\n",
    ]
)


def comments(text: str) -> Counter[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return Counter(token.string for token in tokens if token.type == tokenize.COMMENT)


@st.composite
def programs(draw: st.DrawFn) -> str:
    parts = draw(st.lists(TEMPLATES, min_size=1, max_size=4))
    filled = [part.format(*(draw(DEVICES) for _ in range(part.count("{}")))) for part in parts]
    return "import torch\n" + "".join(filled)


@settings(max_examples=15, deadline=None)
@given(programs())
def test_it_parses_keeps_comments_and_is_ported_once(text: str) -> None:
    once = port({PATH: text}, Modules()).texts.get(PATH, text)
    ast.parse(once)
    assert comments(once) == comments(text)
    assert port({PATH: once}, Modules()).texts == {}


@settings(max_examples=15, deadline=None)
@given(modules())
def test_a_program_without_devices_stays(text: str) -> None:
    bare = text.replace("cuda", "vulkan")
    assert port({PATH: bare}, Modules()).texts == {}
