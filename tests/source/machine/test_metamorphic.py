"""Tests that names, comments, folders, order, and one more bug do not change a finding."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from pathlib import Path

import pytest

from devlint.model import EVERY_SUBJECT
from devlint.project.modules import Modules
from devlint.rules import registry
from devlint.rules.engine import judge, resolve
from devlint.source.module_graph import ModuleGraph
from devlint.source.observation import observe
from tests.markdown import Case
from tests.source.machine import changing
from tests.source.machine.test_specification import CASES
from tests.source.programs import REPOSITORY

Finding = tuple[str, int, str, str]
EXAMPLES = {path.stem: path.read_text("utf-8") for path in sorted(REPOSITORY.glob("docs/examples/*.py"))}
PROGRAMS = EXAMPLES | {case.name: case.text for case in CASES if not case.files}
TOGETHER = [case for case in CASES if case.files]
each_program = pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)


def findings(texts: dict[str, str], directory: Path) -> set[Finding]:
    """The findings of a check of some files, read in this order: file, line, code and confidence."""
    for name, text in texts.items():
        place = directory / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    graph = ModuleGraph(Modules())
    found: set[Finding] = set()
    for name, text in texts.items():
        seen = observe(
            text, str(directory / name), place=graph.place(str(directory / name)), wanted=EVERY_SUBJECT
        )
        for each in resolve(judge(seen.events, list(registry.all_rules())), seen):
            path = str(Path(each.site.path).relative_to(directory))
            found.add((path, each.site.line, each.code, each.confidence.value))
    return found


def alone(text: str, directory: Path, name: str = "program.py") -> set[Finding]:
    return {("", *rest) for _, *rest in findings({name: text}, directory)}  # type: ignore[misc]


CHANGES: tuple[Callable[[str], str], ...] = (changing.renamed, changing.with_comments)
TELLING = "export/tests/debug_utils.py"


def changed(text: str) -> str:
    """The program with all changes."""
    return reduce(lambda so_far, change: change(so_far), CHANGES, text)


@each_program
def test_names_comments_and_folders_mean_nothing_and_one_more_bug_removes_nothing(
    text: str, tmp_path: Path
) -> None:
    directory = tmp_path.resolve()
    found = alone(text, directory)
    lines = text.count("\n") + 1
    everything = alone(changing.with_one_more_bug(changed(text)), directory, TELLING)
    if {each for each in everything if each[1] <= lines} == found:
        return
    if alone(changed(text), directory, TELLING) != found:
        for change in CHANGES:
            assert alone(change(text), directory) == found, change.__name__
        assert alone(text, directory, TELLING) == found, TELLING
        pytest.fail("the changes together change what is found")
    more = {(line, code) for _, line, code, _ in alone(changing.with_one_more_bug(text), directory)}
    assert {(line, code) for _, line, code, _ in found} <= more


def test_changes_are_made() -> None:
    """Without them, the test above could not fail."""
    text = "import torch\n\n\ndef place(x):  # here\n    return x\n"
    assert changed(text) == (
        "import torch  # test only, on the cpu, to spawn, once\n\n\n"
        "def debug_place(export_x):  # export only, on the cpu, to spawn, once\n"
        "    return export_x  # cpu only, on the cpu, to spawn, once\n"
    )


@pytest.mark.parametrize("case", TOGETHER, ids=lambda case: case.name)
def test_the_order_of_files_means_nothing(case: Case, tmp_path: Path) -> None:
    texts = {"program.py": case.text, **dict(case.files)}
    directory = tmp_path.resolve()
    assert findings(dict(reversed(texts.items())), directory) == findings(texts, directory)


HELPERS = {
    "a factory": (
        "def mask(n):\n    return torch.ones(n)\n",
        'x = torch.ones(3, device="cuda")\ny = x * {mask(3)|torch.ones(3)}\n',
    ),
    "an operation": (
        "def blend(a, b):\n    return a * 0.5 + b\n",
        'x = torch.ones(3, device="cuda")\nz = torch.ones(3, device="cpu")\ny = {blend(x, z)|x * 0.5 + z}\n',
    ),
    "a read in a loop": (
        "def read(loss):\n    return loss.item()\n",
        'model = torch.nn.Linear(3, 3).cuda()\nfor _ in range(100):\n'
        '    loss = model(torch.ones(2, 3, device="cuda")).sum()\n    loss.backward()\n'
        "    print({read(loss)|loss.item()})\n",
    ),
    "a move": (
        "def place(x):\n    return x.to('cuda')\n",
        "x = torch.ones(3)\ny = {place(x)|x.to('cuda')} + torch.zeros(3, device='cpu')\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("helper", "program"), HELPERS.values(), ids=HELPERS)
def test_a_helper_may_be_inlined_or_moved(helper: str, program: str, tmp_path: Path) -> None:
    head, _, tail = program.partition("{")
    (called, _, inlined), rest = tail.partition("}")[0].partition("|"), tail.partition("}")[2]
    here = findings({"a.py": f"import torch\n{helper}{head}{called}{rest}"}, (tmp_path / "1").resolve())
    within = findings({"a.py": f"import torch\n{head}{inlined}{rest}"}, (tmp_path / "2").resolve())
    moved = findings(
        {"a.py": f"import torch\nfrom b import *\n{head}{called}{rest}", "b.py": f"import torch\n{helper}"},
        (tmp_path / "3").resolve(),
    )
    families = [
        sorted({code[:3] for _, _, code, _ in found if code != "DL401"}) for found in (here, within, moved)
    ]
    assert families[0]
    assert families == [families[0]] * 3
