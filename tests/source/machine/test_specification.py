"""Tests of the check on programs, as the Markdown files in this directory specify it; see README.md."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.markdown import Case, cases_in, errors_in
from tests.source.machine.checking import PROGRAM, check

FOLDER = Path(__file__).parent
GAPS = "limits"
"""The prefixes of the names of the files with known errors of the check."""
CASES = [case for file in sorted(FOLDER.glob("*.md")) if file.name != "README.md" for case in cases_in(file)]


_GAP = pytest.mark.xfail(reason="a known gap", strict=True)
"""Gaps are expected to fail, and have to be moved once they do not."""


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case.name, marks=[_GAP] if case.file.stem.startswith(GAPS) else [])
        for case in CASES
    ],
)
def test_case(case: Case, tmp_path: Path) -> None:
    problems = list(differences(case, tmp_path.resolve()))
    if problems:
        pytest.fail("\n".join(problems), pytrace=False)


def differences(case: Case, directory: Path) -> Iterator[str]:
    """The differences between the findings for a program and its comments."""
    found = check(case.text, case.files, directory, case.rules)
    for line in sorted(case.revealed.keys() | found.revealed.keys()):
        want, got = (
            case.revealed.get(line, "nothing"),
            found.revealed.get(line, "nothing: no path leads here"),
        )
        if want != got:
            yield f"{case.place(line)}: reveals {got!r}, but should reveal {want!r}"
    for line in sorted(case.notes.keys() | found.notes.keys()):
        note, text = case.notes.get(line, "nothing"), found.notes.get(line, "nothing")
        if note != text:
            yield f"{case.place(line)}: notes {text!r}, but should note {note!r}"
    for name, text in ((PROGRAM, case.text), *case.files):
        wanted = errors_in(text)
        said = {line: codes for (file, line), codes in found.errors.items() if file == name}
        for line in sorted(wanted.keys() | said.keys()):
            if not _agree(wanted.get(line, []), said.get(line, [])):
                place = case.place(line) if name == PROGRAM else f"{case.file} ({name}:{line})"
                instead, right = (codes.get(line) or "nothing" for codes in (said, wanted))
                yield f"{place}: gives {instead}, but should give {right}"


def _agree(wanted: list[str], said: list[str]) -> bool:
    """Whether these are the same codes, with the confidences that are asked for."""
    return len(wanted) == len(said) and all(
        one == other or one == other.split()[0] for one, other in zip(wanted, said, strict=True)
    )


def test_every_name_is_used_once() -> None:
    names = [case.name for case in CASES]
    assert sorted(names) == sorted(set(names))


def test_differences_are_found(tmp_path: Path) -> None:
    file = tmp_path / "wrong.md"
    file.write_text(
        "# Wrong\n\n"
        "```python\nimport torch\n```\n\n## Case\n\n"
        "```python\n"
        "x = torch.zeros(3)\n"
        "reveal_device(x)  # revealed: cuda\n"
        'y = x + torch.ones(3, device="cuda:1")  # error: [DL101]\n'
        "```\n"
    )
    (case,) = cases_in(file)
    assert list(differences(case, tmp_path.resolve())) == [
        f"{file}:11: reveals 'cpu', but should reveal 'cuda'",
        f"{file}:10: gives ['DL102 certain'], but should give nothing",
        f"{file}:12: gives nothing, but should give ['DL101']",
    ]
