"""Nothing is supposed of a file that cannot be imported."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.model import Operation
from devlint.project.modules import Modules
from devlint.source.module_graph import ModuleGraph
from devlint.source.observation import observe

NET = """
import torch
{imports}

class Net(torch.nn.Module):
    def forward(self, x):
        return x + torch.zeros(3)
"""
FILES = {
    "__init__.py": "",
    "parts.py": "if __debug__:\n    def scaled(x):\n        return x\n",
    "later.py": "def bind():\n    global late\n    late = 1\n",
    "names.py": "globals()['Node'] = type('Node', (), {})\n",
    "stars.py": "from os.path import *\n",
    "broken.py": "from .parts import gone\n\nanything = 1\n",
    "circle.py": "from .net import Net\nNode = Net\n",
    "compiled/__init__.py": "",
}


@pytest.mark.parametrize(
    ("imports", "is_left_over"),
    [
        ("from .parts import scaled", False),
        ("from .parts import scaled, gone", True),
        ("from .broken import anything", True),
        ("from . import broken", False),
        ("from .later import late", False),
        ("from .names import Node", False),
        ("from .stars import join", False),
        ("from .circle import Node", False),
        ("from .compiled import kernels", False),
        ("from .nowhere import anything", False),
        ("from parts import gone", False),
        ("try:\n    from .parts import gone\nexcept ImportError:\n    gone = None", False),
        ("def load():\n    from .parts import gone", False),
    ],
)
def test_nothing_is_supposed_of_a_file_that_cannot_be_imported(
    tmp_path: Path, imports: str, *, is_left_over: bool
) -> None:
    for name, text in {**FILES, "net.py": NET.format(imports=imports)}.items():
        path = tmp_path / "pack" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    net = tmp_path / "pack" / "net.py"
    graph = ModuleGraph(Modules())
    events = observe(net.read_text(), "net.py", place=graph.place(str(net))).events
    mixed = [each for each in events if isinstance(each, Operation)]
    assert (not mixed) is is_left_over
