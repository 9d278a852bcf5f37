"""Fixes of programs that run: results stay the same to the bit, and what raised on CUDA raises no more."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

from tests.fixed.corpus import repair, repair_all, report
from tests.fixed.intended import is_intended
from tests.fixed.programs import ALL_RULES, ROOT, Use, fixed, programs, unused, uses

EXAMPLES = ROOT / "docs" / "examples"


@pytest.mark.parametrize("use", uses(), ids=lambda use: use.program)
def test_a_fix_keeps_the_result_and_mends_what_it_says(use: Use) -> None:
    pytest.importorskip("torch")
    from tests.fixed.outcome import compare  # noqa: PLC0415

    assert use.codes
    assert list(compare(use).problems) == []


def test_every_program_with_a_fix_is_run_or_has_a_reason() -> None:
    with_fix = {name for name, text in programs().items() if fixed(text, unsafe=True).counts}
    assert with_fix == {use.program for use in uses()} | unused().keys()


@pytest.mark.parametrize(
    ("directory", "unsafe"),
    [
        (EXAMPLES, False),
        (EXAMPLES, True),
        (ROOT / "tests" / "cases", True),
        (ROOT / "tests" / "benchmarks", True),
    ],
    ids=lambda value: value.name if isinstance(value, Path) else "unsafe" if value else "safe",
)
def test_fixed_files_parse_are_done_and_differ_as_intended(directory: Path, unsafe: bool) -> None:
    for path in sorted(directory.rglob("*.py")):
        made = repair(path, directory, ALL_RULES - {"DL901"}, unsafe=unsafe)
        assert made is None or made.problems == (), made


def test_a_whole_directory_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\n\n\ndef f(x: torch.Tensor):\n    return x @ torch.eye(3)\n")
    (tmp_path / "b.py").write_text("import torch\n")
    tally = repair_all(tmp_path, ALL_RULES, unsafe=False)
    printed = report(tally, tally.repairs)
    assert "2 files, 1 changed: DL102 1\n0 problems\n" in printed
    assert "+    return x @ torch.eye(3, device=x.device)\n" in printed


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(x)", "f(x)"),
        ("t.ones(3)", "t.ones(3, device=x.device)"),
        ("load(p)['a']", "load(p, map_location='cpu')['a']"),
        ("t.ones(3).to(d) + 1", "t.ones(3, device=d) + 1"),
        ("x.to(d)", "x = x.to(d)"),
        ("self.m = f(x)", "self.register_buffer('m', f(x), persistent=False)"),
        ("self.m: Tensor = f(x)", "self.register_buffer('m', f(x), persistent=False)"),
        ("np.mean(x)", "np.mean(x.cpu())"),
        ("x.device == 'cuda'", "x.device.type == 'cuda'"),
        ("def f():\n  t.ones(3); x.cuda()", "def f():\n  t.ones(3, device=d); x = x.cuda()"),
    ],
)
def test_what_fixes_are_for_is_intended(before: str, after: str) -> None:
    assert is_intended(ast.parse(before), ast.parse(after))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(x)", "g(x)"),
        ("f(x)", "f(x, 3)"),
        ("f(x)", "f(x, dtype=d)"),
        ("f(x, device=d)", "f(x, device=e)"),
        ("x.to(d)", "y = x.to(d)"),
        ("x.half()", "x"),
        ("self.m = f(x)", "self.register_buffer('n', f(x), persistent=False)"),
        ("self.m = f(x)", "self.register_buffer('m', f(x))"),
        ("x; y", "x"),
        ("x", "x; y"),
        ("1", "True"),
    ],
)
def test_nothing_else_is_intended(before: str, after: str) -> None:
    assert not is_intended(ast.parse(before), ast.parse(after))


KEPT = """
    import torch
    from torch import nn
    from elsewhere import Base

    x = torch.ones(3)

    def global_name(device):
        x.to(device)  # an assignment would make the name local
        return x + 1

    def only_sometimes_a_tensor(scale):
        y = torch.zeros(3)
        return y * scale if torch.is_tensor(scale) else y

    def sometimes_on_cuda(z: torch.Tensor, gpu: bool):
        y = torch.zeros(3)  # `device="cuda"` would need CUDA in each call
        if gpu:
            return y + z.cuda()
        return y

    def converted(z: torch.Tensor, device):
        z.to(device, torch.float64)  # the result would be of another dtype
        return z

    def to_another(z: torch.Tensor, other):
        for _ in range(3):
            z = z + torch.zeros(3).to(other)  # `other` may be a tensor, of another dtype
            z.sum().backward()
        return z

    class Holder:
        def __init__(self, inputs: torch.Tensor):
            self.inputs = inputs
            self.held = [inputs]

        def sums(self):
            # `inputs` means nothing here
            return self.held[0] + torch.zeros(3)

    class Named(nn.Module):
        mask = None

        def __init__(self, n):
            super().__init__()
            self.linear = nn.Linear(n, n)
            self.mask = torch.ones(n)  # `register_buffer` refuses a name that is taken

        def forward(self, x):
            return self.linear(x) * self.mask

    class PerhapsNoModule(Base):
        def __init__(self, n):
            super().__init__()
            self.mask = torch.ones(n)

        def forward(self, x: torch.Tensor):
            return x * self.mask

    class PerhapsNone(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = None

        def learn(self):
            self.scale = nn.Parameter(torch.ones(3))

        def forward(self, x):
            y = torch.zeros(3)
            return y if self.scale is None else y + self.scale

    class Registered(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(3))
            self.weight.to("cuda")  # a tensor cannot take a parameter's place
"""


def test_a_program_is_not_fixed_where_it_could_come_to_mean_something_else() -> None:
    text = inspect.cleandoc(KEPT)
    assert fixed(text, unsafe=False).document.text == text
