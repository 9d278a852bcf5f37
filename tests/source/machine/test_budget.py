"""Tests of the number of steps that a run of a program may take."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.project.modules import Modules
from devlint.source.machine.interprocedural.following import (
    LEAST_STEPS,
    STEPS_PER_NODE,
    STEPS_PER_NODE_OF_OTHERS,
)
from devlint.source.module_graph import ModuleGraph
from devlint.source.observation import observe

NUMBERS = "def number(n):\n    return n + 1\n"
TENSORS = "import torch\n\ndef make():\n    return torch.ones(3)\n"


@pytest.mark.parametrize(
    ("text", "of_itself", "others"),
    [
        ("import torch\nfrom numbers_of import number\nnumber(1)\n", STEPS_PER_NODE, []),
        ("from numbers_of import number\nnumber(1)  # no torch\n", STEPS_PER_NODE_OF_OTHERS, []),
        ("from tensors import make\nmake()\n", STEPS_PER_NODE, ["tensors.py"]),
        ("from tensors import make\n", STEPS_PER_NODE_OF_OTHERS, []),
    ],
    ids=["imports torch", "reaches none", "reaches torch", "calls none"],
)
def test_a_file_counts_fully_where_torch_is_reached(
    text: str, of_itself: int, others: list[str], tmp_path: Path
) -> None:
    for name, content in (("numbers_of.py", NUMBERS), ("tensors.py", TENSORS), ("main.py", text)):
        (tmp_path / name).write_text(content)
    graph = ModuleGraph(Modules())
    main = tmp_path.resolve() / "main.py"
    observe(text, str(main), place=graph.place(str(main)))
    following = graph.machine.following
    sizes = {Path(file.path).name: file.size for file in following.files}
    expected = LEAST_STEPS + of_itself * sizes["main.py"]
    assert following.budget == expected + sum(STEPS_PER_NODE_OF_OTHERS * sizes[name] for name in others)
