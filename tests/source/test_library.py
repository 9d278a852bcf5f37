"""What is seen in a file does not depend on which files were looked at before."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import example, given, settings
from hypothesis import strategies as st

from devlint.model import Event
from devlint.project.modules import Modules
from devlint.source.library import Library
from devlint.source.observation import observe

FILES, FUNCTIONS = 3, 3
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


def seen(library: Library, path: Path) -> tuple[Event, ...]:
    return observe(path.read_text(), path.name, place=library.place(str(path))).events


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(_BODIES, min_size=FUNCTIONS, max_size=FUNCTIONS), min_size=FILES, max_size=FILES),
    st.permutations(range(FILES)),
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
)
def test_the_order_of_files_does_not_matter(files: list[list[list[str]]], order: list[int]) -> None:
    with TemporaryDirectory() as name:
        paths = [Path(name) / f"m{number}.py" for number in range(FILES)]
        for path, bodies in zip(paths, files, strict=True):
            path.write_text(text_of(bodies))
        together = Library(Modules())
        found = {number: seen(together, paths[number]) for number in order}
        alone = {number: seen(Library(Modules()), path) for number, path in enumerate(paths)}
    assert {number: set(events) for number, events in found.items()} == {
        number: set(events) for number, events in alone.items()
    }


def test_another_text_is_looked_at_anew(tmp_path: Path) -> None:
    helper, user = tmp_path / "helper.py", tmp_path / "user.py"
    user.write_text("import torch\nfrom helper import f\ny = torch.ones(3, device='cuda') + f()\n")
    library = Library(Modules())
    counts = []
    for device in ("cuda", "cpu", "cuda"):
        helper.write_text(f"import torch\n\ndef f():\n    return torch.ones(3, device='{device}')\n")
        observe(helper.read_text(), "helper.py", place=library.place(str(helper)))
        counts.append(sum("helper" in repr(event) or "cpu" in repr(event) for event in seen(library, user)))
    assert counts[0] == counts[2] != counts[1]
