"""Functions whose callers, in other files, are tried under hypotheses: where the data lie that they give."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.project.cache import Cache
from devlint.project.settings import Options
from tests.pipeline.test_project import check, write

SHIFT = """\
import torch


def shift(x):
    y = torch.zeros(3, device=x.device)
    return torch.relu(x) + torch.ones(3)
"""
LOAD = """\
import numpy as np
import torch
from shifts import shift


def load(path):
    return shift(torch.from_numpy(np.load(path)))
"""
READER = """\
import torch
from shifts import shift


class Reader:
    def __init__(self, rows):
        self.rows = rows

    def read(self):
        return shift(torch.tensor([float(each) for each in open(self.rows)]))
"""
FINISH = """\
from shifts import shift


def finish(output):
    return shift(output.detach().cpu())
"""
HANDS_ON = """\
import torch
from shifts import shift


def apply(x):
    return shift(x)
"""
UPLOADS = """\
import torch
from shifts import shift


def upload(rows):
    return shift(torch.as_tensor(rows).cuda())
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    home = tmp_path / "project"
    home.mkdir()
    return home


def confidences(project: Path, cache: Cache | None = None, rules: str = "DL1") -> list[str]:
    """How sure the findings in `shifts.py` are."""
    options = Options(confidence="possible", select=(rules,))
    found = check(project, options=options, cache=cache).report.findings
    return [each.confidence.value for each in found if each.site.path.endswith("shifts.py")]


@pytest.mark.parametrize("caller", [LOAD, READER, FINISH])
def test_callers_with_data_on_the_host_make_a_hypothesis_less_likely(project: Path, caller: str) -> None:
    write(project, shifts=SHIFT)
    assert confidences(project) == ["likely"]
    write(project, user=caller)
    assert confidences(project) == ["possible"]


@pytest.mark.parametrize(("other", "level"), [(HANDS_ON, "likely"), (UPLOADS, "certain")])
def test_another_caller_with_data_on_an_accelerator_upholds_it(project: Path, other: str, level: str) -> None:
    write(project, shifts=SHIFT, user=LOAD, other=other)
    assert confidences(project) == [level]


@pytest.mark.parametrize("names", [("a", "b", "c"), ("c", "b", "a"), ("b", "c", "a")])
def test_a_caller_that_hands_its_arguments_on_counts_as_its_own_callers(
    project: Path, names: tuple[str, str, str]
) -> None:
    first, second, third = names
    write(project, shifts=SHIFT, **{first: HANDS_ON})
    assert confidences(project) == ["likely"]
    loads = f"import numpy as np\nimport torch\nfrom {first} import apply\n\n\ndef load(path):\n"
    write(project, **{second: f"{loads}    return apply(torch.from_numpy(np.load(path)))\n"})
    assert confidences(project) == ["possible"]
    hands_on = f"import torch\nfrom {first} import apply\n\n\ndef again(x):\n    return apply(x)\n"
    write(project, **{third: hands_on})
    assert confidences(project) == ["likely"]


@pytest.mark.parametrize(
    "test",
    [
        "import torch\nfrom shifts import shift\n\n\n"
        "def test_it():\n    assert shift(torch.ones(3)).sum() > 0\n",
        "import torch\nfrom shifts import shift\n\n\n"
        "def test_it(size):\n    assert shift(torch.ones(size)).sum() > 0\n",
        "import pytest\nimport torch\nfrom shifts import shift\n\n\n"
        "def test_it(size):\n    assert shift(torch.ones(size)).sum() > 0\n",
        "import unittest\nimport torch\nfrom shifts import shift\n\n\nclass TestIt(unittest.TestCase):\n"
        "    def test_it(self, size=3):\n        self.assertTrue(shift(torch.ones(size)).sum() > 0)\n",
        "import unittest\nimport torch\nfrom shifts import shift\n\n\nclass TestIt(unittest.TestCase):\n"
        "    pass\n\n\nprint(shift(torch.ones(3)))\n",
        "import torch\nfrom shifts import shift\n\n\nclass TestIt:\n"
        "    def test_it(self):\n        assert shift(torch.ones(3)).sum() > 0\n",
    ],
)
def test_tests_are_no_callers(project: Path, test: str) -> None:
    write(project, shifts=SHIFT, test_shifts=test)
    assert confidences(project) == ["likely"]


def test_a_demonstration_of_some_size_makes_up_its_data(project: Path) -> None:
    demo = (
        "import torch\nfrom shifts import shift\n\n\ndef demo(size=3):\n    return shift(torch.rand(size))\n"
    )
    write(project, shifts=SHIFT, user=demo)
    assert confidences(project) == ["likely"]


def test_what_the_object_of_a_method_holds_is_not_given(project: Path) -> None:
    scaler = (
        "import torch\n\n\nclass Scaler:\n    def __init__(self):\n        self.scale = torch.ones(3)\n\n"
        "    def finite(self, optimizer):\n        for group in optimizer.param_groups:\n"
        "            for each in group['params']:\n                if not torch.isfinite(each).all():\n"
        "                    return False\n        return True\n"
    )
    user = (
        "import torch\nfrom shifts import Scaler\n\n\n"
        "def fit(model):\n    return Scaler().finite(model.optimizer)\n"
    )
    write(project, shifts=scaler)
    before = confidences(project, rules="DL202")
    write(project, user=user)
    assert confidences(project, rules="DL202") == before == ["likely"]


def test_modules_are_called_on_the_host_before_they_are_moved(project: Path) -> None:
    net = SHIFT.replace("def shift(x):", "class Net(torch.nn.Module):\n  def forward(self, x):")
    user = (
        "import torch\nfrom shifts import Net\n\n\n"
        "def width(rows):\n    return Net()(torch.ones(rows)).shape\n"
    )
    write(project, shifts=net, user=user)
    assert confidences(project) == ["likely"]


def test_what_a_function_moves_itself_does_not_rest_on_its_arguments(project: Path) -> None:
    loop = "    for each in x:\n        y = y + torch.tensor([1.0, 2.0, 3.0], device='cuda')\n    return"
    write(project, shifts=SHIFT.replace("    return", loop))
    before = confidences(project, rules="DL3")
    write(project, user=LOAD)
    assert confidences(project, rules="DL3") == before == ["likely"]


def test_what_a_collate_function_gets_is_on_the_host(project: Path) -> None:
    pad = SHIFT.replace("def shift(x):", "def shift(rows):\n    x = rows[0].float()")
    user = (
        "from torch.utils.data import DataLoader\nfrom shifts import shift\n\n\n"
        "def loader(data):\n    return DataLoader(data, collate_fn=shift, num_workers=2)\n"
    )
    write(project, shifts=pad)
    assert confidences(project) == ["likely"]
    write(project, user=user)
    assert confidences(project) == []


def test_the_cache_remembers_it(project: Path) -> None:
    cache = Cache(project / ".cache")
    write(project, shifts=SHIFT, user=LOAD)
    assert [confidences(project, cache) for _ in range(2)] == [["possible"]] * 2
    write(project, user=LOAD.replace("np.load(path))", "np.load(path)).cuda()"))
    assert [confidences(project, cache) for _ in range(2)] == [["certain"]] * 2
    write(project, user=LOAD.replace("np.load(path))", "np.load(path)).to(path.device)"))
    assert [confidences(project, cache) for _ in range(2)] == [["likely"]] * 2


def test_what_a_program_shows_itself_rests_on_no_hypothesis(project: Path) -> None:
    write(project, shifts=f"from elsewhere import app\n{SHIFT}\n\napp.run(shift)\n")
    before = confidences(project)
    write(project, user=LOAD)
    assert confidences(project) == before == ["likely"]
