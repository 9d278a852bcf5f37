"""A little of `python -m tests.fuzzing`, from fixed seeds; and the syntax of all releases of Python."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from devlint.pipeline.analysis.text import find_all
from tests.fuzzing.checking import check
from tests.fuzzing.inputs import inputs

MADE = "torch.ones(2, device='cuda') + torch.ones(2)"


@pytest.mark.parametrize("seed", [1, 2])
def test_inputs_that_nobody_wrote(tmp_path: Path, seed: int) -> None:
    came = {check(each, tmp_path) for each in islice(inputs(seed), 25)}
    assert {"checked", "refused"} <= came


@pytest.mark.parametrize(
    "text",
    [
        f"def f(a, /, b, *, c): return (y := a)\nf({MADE}, 1, c=2)\n",
        f"x = {MADE}\nprint(f'{{x=!r:>3}}')\n",
        f"with (open('a') as a, open('b') as b,):\n    x = {MADE}\n",
        f"match [1, 2]:\n    case [1, *r] if r:\n        {MADE}\n    case {{'a': 1, **k}} | int(): pass\n",
        f"try:\n    x = {MADE}\nexcept* ValueError as e:\n    pass\n",
        f"def f(*a: *tuple[int]): return a[*a]\nx = {MADE}\n",
        f"type A[T] = list[T]\nclass C[T: int]: pass\ndef f[*Ts, **P](x): return x\nf({MADE})\n",
        f"x = {MADE}\nd = {{'a': 1}}\nprint(f'{{d['a']}} {{f'{{x}}'}} {{'\\n'}}')\n",
        f"class C[T = int]: pass\nx = {MADE}\n",
        f"try:\n    x = {MADE}\nexcept ValueError, TypeError:\n    pass\n",
        f"x = {MADE}\nt = t'{{x}} and {{x!r}}'\n",
        f"def f():\n    try:\n        return {MADE}\n    finally:\n        return 1\nf()\n",
    ],
    ids=["3.8", "PEP 572", "3.9", "PEP 634", "PEP 654", "PEP 646", "PEP 695", "PEP 701", "PEP 696", "PEP 758",
         "PEP 750", "PEP 765"],
)  # fmt: skip
def test_syntax_of_any_release_is_analyzed(text: str) -> None:
    assert [finding.code for finding in find_all(f"import torch\n{text}", "a.py", {"DL102"})] == ["DL102"]


def test_syntax_that_is_not_supported_is_named() -> None:
    for text in ("print 'a'\n", "exec 'a' in b\n", "x = 1 $ 2\n"):
        (finding,) = find_all(f"import torch\n{text}", "a.py", {"DL102"})
        assert finding.code == "DL900"
