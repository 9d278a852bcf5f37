"""What is not changed keeps its layout and comments; what is changed is laid out like what is around it."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from devlint.port import port
from devlint.project.modules import Modules

CHOICE = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'


def ported(text: str, folder: Path) -> str:
    path = str(folder / "train.py")
    return port({path: text}, Modules()).texts.get(path, text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(1)", "f(1, device=device)"),
        ("f( 1 )", "f( 1, device=device )"),
        ("f(x for x in y)", "f((x for x in y), device=device)"),
        ("f(\n    1,\n    2,  # two\n)", "f(\n    1,\n    2,  # two\n    device=device,\n)"),
        ("f(\n    1,\n    2  # two\n)", "f(\n    1,\n    2,  # two\n    device=device\n)"),
        ("f(1,\n  2,  # two\n  3)", "f(1,\n  2,  # two\n  3, device=device)"),
        ("f(*a, **b)", "f(*a, **b, device=device)"),
    ],
)
def test_an_argument(before: str, after: str, tmp_path: Path) -> None:
    """The function is in another file, so that the device has to be passed to it."""
    template = "import torch\ndef f(*a, **b):\n    return torch.ones(1).cuda()\n"
    other = f"import torch\nfrom train import f\n{before}\n"
    paths = str(tmp_path / "train.py"), str(tmp_path / "other.py")
    for path, text in zip(paths, (template, other), strict=True):
        Path(path).write_text(text)
    texts = port(dict(zip(paths, (template, other), strict=True)), Modules()).texts
    assert texts[paths[1]] == f"import torch\nfrom train import f\n\n{CHOICE}\n{after}\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("()", "(*, device)"),
        ("(a)", "(a, *, device)"),
        ("(a, b=1)", "(a, b=1, *, device)"),
        ("(a, /)", "(a, /, *, device)"),
        ("(*a)", "(*a, device)"),
        ("(*, a)", "(*, a, device)"),
        ("(**k)", "(*, device, **k)"),
        ("(a, *, b=1, **k)", "(a, *, b=1, device, **k)"),
        ("(a, *b, **k)", "(a, *b, device, **k)"),
        ("(\n    a,  # one\n    b=1,\n)", "(\n    a,  # one\n    b=1,\n    *, device,\n)"),
        ("(a,\n      b  # two\n      )", "(a,\n      b,  # two\n      *, device\n      )"),
    ],
)
def test_a_parameter(before: str, after: str, tmp_path: Path) -> None:
    texts = {
        str(tmp_path / "work.py"): f"import torch\ndef f{before}:\n    return torch.ones(1).cuda()\n",
        str(tmp_path / "train.py"): "import torch\nfrom work import f\nf()\n",
    }
    for path, text in texts.items():
        Path(path).write_text(text)
    changed = port(texts, Modules()).texts[str(tmp_path / "work.py")]
    assert changed == f"import torch\ndef f{after}:\n    return torch.ones(1).to(device)\n"


def test_quotes_spaces_and_continued_lines_stay(tmp_path: Path) -> None:
    text = dedent("""\
        import torch   # torch

        x = torch . ones( 2 ) . cuda ( )  ;  y = 'a'
        z = x \\
            .cuda() [ 0 ]   # first
        print( z )
    """)
    changed = ported(text, tmp_path)
    assert changed == dedent(f"""\
        import torch   # torch

        {CHOICE}

        x = torch . ones( 2 ) . to ( device)  ;  y = 'a'
        z = x \\
            .to(device) [ 0 ]   # first
        print( z )
    """)


def test_a_statement_with_others_on_its_line_is_no_branch(tmp_path: Path) -> None:
    text = "import torch\ntorch.cuda.synchronize(); print(1)\n"
    assert ported(text, tmp_path) == text


def test_tabs_and_line_ends_stay(tmp_path: Path) -> None:
    text = "import torch\r\nif 1:\r\n\ttorch.cuda.synchronize()\r\n"
    assert ported(text, tmp_path) == (
        f'import torch\r\n\r\n{CHOICE}\r\nif 1:\r\n\tif device.type == "cuda":\r\n'
        "\t\ttorch.cuda.synchronize()\r\n"
    )
