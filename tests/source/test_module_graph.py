"""Tests that the events of a file do not depend on the files that were observed before."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from devlint.model import Event, Operation
from devlint.project.modules import Modules
from devlint.source.machine.interprocedural.machine import AbstractMachine
from devlint.source.module_graph import TREES, WINDOW, ModuleGraph
from devlint.source.observation import observe
from devlint.source.read import read

FILES, FUNCTIONS = 3, 3
READ = "devlint.source.module_graph.read"
_NAMES = [f"m{file}.f{function}" for file in range(FILES) for function in range(FUNCTIONS)]
_RESULTS = st.sampled_from(
    ["torch.ones(3)", "torch.ones(3, device='cuda')", "x", "x + torch.ones(3)", "x.cuda()", "x.cpu()"]
)
_CALLS = st.sampled_from(_NAMES).map(lambda name: f"{name}(x)")
_SUMS = st.tuples(_CALLS, _RESULTS).map(" + ".join)
_BODIES = st.lists(st.one_of(_RESULTS, _CALLS, _SUMS), min_size=1, max_size=3)


def text_of(bodies: list[list[str]]) -> str:
    lines = ["import torch", *(f"import m{file}" for file in range(FILES))]
    for number, results in enumerate(bodies):
        lines.append(f"def f{number}(x: torch.Tensor):")
        lines += [f"    if x.shape[0] == {at}:\n        return {each}" for at, each in enumerate(results[1:])]
        lines.append(f"    return {results[0]}")
    return "\n".join(lines) + "\n"


def seen(graph: ModuleGraph, path: Path) -> tuple[Event, ...]:
    events = observe(path.read_text(), path.name, place=graph.place(str(path))).events
    graph.release(str(path))
    return events


@settings(max_examples=15)
@given(
    st.lists(st.lists(_BODIES, min_size=FUNCTIONS, max_size=FUNCTIONS), min_size=FILES, max_size=FILES),
    st.permutations(range(FILES)),
    st.sampled_from([0, 300, 600, 900, WINDOW]),
)
@example(
    # A small circle within a large one.
    [
        [["torch.ones(3)"], ["torch.ones(3)"], ["m2.f1(x)"]],
        [["m1.f2(x)", "m0.f2(x)"], ["m2.f1(x)"], ["torch.ones(3)"]],
        [
            ["m1.f0(x)"],
            ["m1.f0(x) + torch.ones(3)", "m1.f1(x) + torch.ones(3, device='cuda')"],
            ["torch.ones(3)"],
        ],
    ],
    [0, 1, 2],
    WINDOW,
)
def test_neither_the_order_of_files_nor_what_is_forgotten_matters(
    files: list[list[list[str]]], order: list[int], window: int
) -> None:
    with TemporaryDirectory() as name, patch("devlint.source.module_graph.WINDOW", window):
        paths = [Path(name) / f"m{number}.py" for number in range(FILES)]
        for path, bodies in zip(paths, files, strict=True):
            path.write_text(text_of(bodies))
        together = ModuleGraph(Modules())
        found = {number: seen(together, paths[number]) for number in (*order, *order)}
        alone = {number: seen(ModuleGraph(Modules()), path) for number, path in enumerate(paths)}
    assert {number: set(events) for number, events in found.items()} == {
        number: set(events) for number, events in alone.items()
    }


def test_another_text_is_looked_at_anew(tmp_path: Path) -> None:
    helper, user = tmp_path / "helper.py", tmp_path / "user.py"
    user.write_text("import torch\nfrom helper import f\ny = torch.ones(3, device='cuda') + f()\n")
    graph = ModuleGraph(Modules())
    counts = []
    for device in ("cuda", "cpu", "cuda"):
        helper.write_text(f"import torch\n\ndef f():\n    return torch.ones(3, device='{device}')\n")
        graph.clear()
        counts.append(sum("helper" in repr(event) or "cpu" in repr(event) for event in seen(graph, user)))
    assert counts[0] == counts[2] != counts[1]


def test_an_event_is_located_in_the_file_in_which_it_stands(tmp_path: Path) -> None:
    helper, user = tmp_path / "helper.py", tmp_path / "user.py"
    helper.write_text("import torch\n\n\ndef f(x):\n    return x.cuda() + torch.ones(3)\n")
    user.write_text("import torch\nfrom helper import f\nf(torch.ones(3))\n")
    observed = observe(user.read_text(), "user.py", place=ModuleGraph(Modules()).place(str(user)))
    (event,) = [event for event in observed.events if isinstance(event, Operation)]
    assert observed.home(event.site) == str(helper)
    (call,) = observed.traces[event].calls
    assert observed.home(call) == ""
    located = observed.locate([event.site, call])
    assert (located.site(event.site).path, located.site(event.site).line) == (str(helper), 5)
    assert (located.site(call).path, located.site(call).line) == ("user.py", 3)


@pytest.mark.parametrize("trees", [TREES, 0])
def test_a_place_in_a_file_is_worked_out_once_for_all_that_use_it(tmp_path: Path, trees: int) -> None:
    (tmp_path / "base.py").write_text("import torch\n\ndef f(x):\n    return x.cuda() + torch.ones(3)\n")
    users = [tmp_path / f"user{number}.py" for number in range(3)]
    graph = ModuleGraph(Modules())
    lines = []
    with patch(READ, wraps=read) as noted, patch("devlint.source.module_graph.TREES", trees):
        for user in users:
            user.write_text("import torch\nimport base\nbase.f(torch.ones(3))\n")
            observed = observe(user.read_text(), user.name, place=graph.place(str(user)))
            (event,) = [event for event in observed.events if isinstance(event, Operation)]
            (call,) = observed.traces[event].calls
            located = observed.locate([event.site, call])
            lines.append((located.site(event.site).line, located.site(call).line))
    assert lines == [(4, 3)] * 3
    if trees:
        assert noted.call_count == len(users) + 1
    else:  # the user's own, which was read before the other one
        assert noted.call_count > len(users) + 1


def test_a_file_that_others_use_is_not_read_again_when_it_is_checked_itself(tmp_path: Path) -> None:
    user, base = tmp_path / "user.py", tmp_path / "base.py"
    base.write_text("import torch\n\nx = torch.ones(3).cuda() + torch.ones(3)\n")
    user.write_text("import base\nprint(base.x)\n")
    graph = ModuleGraph(Modules())
    with patch(READ, wraps=read) as noted:
        seen(graph, user)
        observed = observe(base.read_text(), "base.py", place=graph.place(str(base)))
        (event,) = [event for event in observed.events if isinstance(event, Operation)]
        assert observed.locate([event.site]).site(event.site).line == 3
    assert noted.call_count == 2


def test_a_file_is_read_once_for_all_that_use_it(tmp_path: Path) -> None:
    (tmp_path / "base.py").write_text("import torch\n\ndef f():\n    return torch.ones(3)\n")
    users = [tmp_path / f"user{number}.py" for number in range(5)]
    for user in users:
        user.write_text("import base\nx = base.f().cuda()\n")
    graph = ModuleGraph(Modules())
    with patch(READ, wraps=read) as noted:
        for user in users:
            seen(graph, user)
        assert noted.call_count == len(users) + 1


def test_a_file_has_one_path_however_it_is_imported(tmp_path: Path) -> None:
    package = tmp_path.resolve() / "gates"
    package.mkdir()
    (package / "__init__.py").write_text("from . import plain\nfrom .registry import GATES\n")
    (package / "registry.py").write_text("GATES = {}\n")
    (package / "plain.py").write_text("from .registry import GATES\n\nGATES['plain'] = float\n")
    user = package / "user.py"
    user.write_text("import torch\nfrom . import GATES\n\nGATES[torch.load('name')]()\n")
    graph = ModuleGraph(Modules())
    with patch(READ, wraps=read) as noted:
        seen(graph, user)
    paths = [call.args[1] for call in noted.call_args_list]
    assert sorted(Path(each).name for each in paths) == sorted(each.name for each in package.iterdir())


def test_what_a_program_sets_is_not_found_by_the_next_one(tmp_path: Path) -> None:
    (tmp_path / "base.py").write_text("import torch\n\nw = torch.ones(3)\n\ndef f(x):\n    return x + w\n")
    first, second = tmp_path / "first.py", tmp_path / "second.py"
    first.write_text('import torch\ntorch.set_default_device("cuda")\nimport base\nbase.f(torch.ones(3))\n')
    second.write_text("import torch\nimport base\nbase.f(torch.ones(3))\n")
    graph = ModuleGraph(Modules())
    seen(graph, first)
    assert seen(graph, second) == seen(ModuleGraph(Modules()), second)


def test_files_in_which_names_mean_the_same_stay_when_another_script_starts(tmp_path: Path) -> None:
    for path, text in {
        "pyproject.toml": "",
        "shared.py": "import options\n\ndef width():\n    return options.WIDTH\n",
        "wide.py": "import shared\n\ndef wide():\n    return shared.width()\n",
        "library.py": "import torch\n\ndef f(x):\n    return x + torch.ones(3)\n",
        "one/script.py": "import torch, library, wide\nlibrary.f(torch.ones(wide.wide()))\n",
        "two/options.py": "WIDTH = 3\n",
        "two/script.py": "import torch, library, wide\nlibrary.f(torch.ones(wide.wide(), device='cuda'))\n",
    }.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    scripts = [tmp_path / each / "script.py" for each in ("one", "two")]
    graph = ModuleGraph(Modules())
    run = AbstractMachine.run_for_others
    with patch.object(AbstractMachine, "run_for_others", autospec=True, side_effect=run) as executed:
        assert [seen(graph, script) for script in (*scripts, *scripts)] == [
            seen(ModuleGraph(Modules()), script) for script in (*scripts, *scripts)
        ]
    of_one = [call.args[1].path for call in executed.call_args_list if call.args[0] is graph.machine]
    assert sorted(Path(each).stem for each in of_one) == [
        "library",
        "options",
        *["shared"] * 4,
        *["wide"] * 4,
    ]
