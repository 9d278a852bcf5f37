"""Which expression of a quoted line an argument of torch's stands for."""

from __future__ import annotations

import pytest

from devlint.errors.pasted import PastedFrame
from devlint.errors.quoted import fault, is_installed, own_frame, written_for

TORCH = "/opt/python/site-packages/torch/nn"


@pytest.mark.parametrize(
    ("code", "argument", "expected"),
    [
        ("y = torch.mm(x, w)", "mat2", "w"),
        ("y = x.mm(w)", "mat2", "w"),
        ("y = x.mm(w)", "self", "x"),
        ("return F.linear(input, self.weight, self.bias)", "mat1", "input"),
        ("return F.linear(input, self.weight, self.bias)", "mat2", "self.weight"),
        ("return F.embedding(ids, self.table)", "index", "ids"),
        ("scores = q @ k.t()", "mat2", "k.t()"),
        ("out = torch.gather(x, 1, index=picked)", "index", "picked"),
        ("for row in torch.bmm(a, b):", "mat2", "b"),
        ("return F.conv2d(input, weight, self.bias, self.stride,", "weight", "weight"),
        ("y = torch.mm(*both)", "mat2", ""),
        ("y = torch.mm(a, b) + torch.mm(c, d)", "mat2", ""),
        ("y = net(x)", "mat2", ""),
        ("y = x +", "other", ""),
        ("", "mat2", ""),
    ],
)
def test_arguments(code: str, argument: str, expected: str) -> None:
    assert written_for(PastedFrame("train.py", 1, "f", code), argument) == expected


def test_the_underlined_part_decides() -> None:
    code = "y = torch.mm(a, b) + torch.mm(c, d)"
    start = code.index("torch.mm(c")
    assert written_for(PastedFrame("train.py", 1, "f", code, (start, len(code))), "mat2") == "d"


def test_inside_a_module_of_torch_the_module_is_named() -> None:
    own = PastedFrame("train.py", 3, "forward", "y = self.head(x)")
    linear = PastedFrame(
        f"{TORCH}/modules/linear.py", 114, "forward", "return F.linear(input, self.weight, self.bias)"
    )
    assert fault([own, linear], "mat2") == "the `weight` of the module that is called in `y = self.head(x)`"
    assert fault([own, linear], "mat1") == "the input of the module that is called in `y = self.head(x)`"


def test_what_a_forward_hands_on_is_followed_back() -> None:
    own = PastedFrame("train.py", 3, "f", "y = net(x)")
    forward = PastedFrame(
        f"{TORCH}/modules/conv.py", 2, "Conv2d.forward", "return self._conv_forward(input, self.weight)"
    )
    inner = PastedFrame(
        f"{TORCH}/modules/conv.py", 1, "_conv_forward", "return F.conv2d(input, weight, bias)"
    )
    assert fault([own, forward, inner], "weight").startswith("the `weight` of the module")
    assert fault([own, forward, inner], "input").startswith("the input of the module")
    assert fault([own, forward, inner], "bias") == ""


def test_elsewhere_in_torch_nothing_is_claimed() -> None:
    own = PastedFrame("train.py", 3, "f", "optimizer.step()")
    inner = PastedFrame("/x/site-packages/torch/optim/adam.py", 9, "adam", "param.add_(other)")
    assert fault([own, inner], "other") == ""


@pytest.mark.parametrize(
    ("path", "installed"),
    [
        ("/usr/lib/python3/dist-packages/torch/functional.py", True),
        ("C:\\py\\Lib\\site-packages\\torch\\nn\\modules\\linear.py", True),
        ("/usr/lib/python3.11/runpy.py", True),
        ("<frozen runpy>", True),
        ("/src/pytorch/torch/nn/modules/module.py", True),
        ("/home/me/torch/train.py", False),
        ("train.py", False),
        ("<ipython-input-1-abc>", False),
    ],
)
def test_what_is_installed(path: str, installed: bool) -> None:
    assert is_installed(PastedFrame(path, 1)) is installed


def test_the_programs_own_frame_is_the_innermost_one() -> None:
    frames = [
        PastedFrame("a.py", 1),
        PastedFrame("b.py", 2),
        PastedFrame("/x/site-packages/torch/_ops.py", 3),
    ]
    assert own_frame(frames) == frames[1]
    assert own_frame(frames[2:]) == frames[2]
    assert own_frame([]) is None
