"""What the source observer works out, as the Markdown files in `flow/` say it; see `flow/README.md`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.markdown import Case, cases_in
from tests.source.flow.probe import reveal

FOLDER = Path(__file__).parent / "flow"
CASES = [case for file in sorted(FOLDER.glob("*.md")) if file.name != "README.md" for case in cases_in(file)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case, tmp_path: Path) -> None:
    problems = list(differences(case, tmp_path))
    if problems:
        pytest.fail("\n".join(problems), pytrace=False)


def differences(case: Case, directory: Path) -> list[str]:
    """Where what a program reveals is not what its comments say. Its project is written to the directory."""
    found = reveal(case.text, case.files, directory)
    problems: list[tuple[int, str]] = []
    for line in sorted(case.revealed.keys() | found.values.keys()):
        want, got = case.revealed.get(line, "nothing"), found.values.get(line, "nothing: no path leads here")
        if want != got:
            problems.append((line, f"reveals {got!r}, but should reveal {want!r}"))
    for line in sorted(case.events.keys() | found.events.keys()):
        wanted = case.events.get(line, [])
        events = [event for event in found.events.get(line, []) if event.kind in case.kinds]
        got_events = sorted(event.like(wanted) for event in events)
        if got_events != wanted:
            problems.append((line, f"gives {got_events or 'no event'}, but should give {wanted or 'none'}"))
    return [f"{case.place(line)}: {problem}" for line, problem in problems]


def test_every_name_is_used_once() -> None:
    names = [case.name for case in CASES]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_case_asserts_something_that_its_file_is_about(case: Case) -> None:
    assert case.revealed or case.kinds
    assert {event.split()[0] for events in case.events.values() for event in events} <= case.kinds


def test_differences_are_found(tmp_path: Path) -> None:
    file = tmp_path / "wrong.md"
    file.write_text(
        "# Wrong\n\nEvents that are checked here: `Synchronization`.\n\n"
        "```python\nimport torch\n```\n\n## Case\n\n"
        "```python\n"
        "x = torch.zeros(3)\n"
        "reveal_device(x)  # revealed: cuda\n"
        "y = x.cuda()  # event: Synchronization host-read x\n"
        "print(y)\n"
        "```\n"
    )
    (case,) = cases_in(file)
    assert differences(case, tmp_path) == [
        f"{file}:13: reveals 'cpu', but should reveal 'cuda'",
        f"{file}:14: gives no event, but should give ['Synchronization host-read x']",
        f"{file}:15: gives ['Synchronization format y'], but should give none",
    ]
