"""The comments of the specification say what runs show, as far as the programs can be run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.markdown import Case
from tests.source.machine.running import run
from tests.source.machine.test_specification import CASES

pytest.importorskip("torch")
OTHERWISE = {
    "default_device - The current accelerator",  # the simulation leaves the current device as it is
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_run_shows_what_the_comments_say(case: Case, tmp_path: Path) -> None:
    ran = run(case.text, case.files, tmp_path.resolve())
    if ran.other:
        pytest.skip(f"no program that can be run: {ran.other}")
    for line, devices in ran.revealed.items():
        said = {_resolved(each) for each in case.revealed.get(line, "nothing").split(" or ")}
        if "unknown" not in said and case.name not in OTHERWISE:
            assert {_resolved(each) for each in devices} <= said, case.place(line)
    if ran.raised is not None:
        codes = {code for codes in (*case.errors.values(), *_in_other_files(case)) for code in codes}
        assert any(code.startswith("DL1") for code in codes), f"{case.place(ran.raised)} raises"


def _in_other_files(case: Case) -> list[list[str]]:
    from tests.markdown import errors_in  # noqa: PLC0415

    return [codes for _, text in case.files for codes in errors_in(text).values()]


def _resolved(device: str) -> str:
    """`cuda` is the first accelerator, where a run has chosen no other."""
    return "cuda:0" if device == "cuda" else device
