"""The programs of docs/examples under simulated devices: a run finds what the check finds, where it can."""

from __future__ import annotations

import os
import runpy
import sys
from collections import defaultdict
from pathlib import Path

import pytest

import devlint
from tests.docs.test_examples import PROGRAMS, marks

NOT_SEEN = {
    "DL112": "torch compares devices in C, where no mode is asked",
    "DL209": "the clock is not torch's, and nothing says what it is read for",
    "DL404": "the environment is set outside of torch",
    "DL405": "the environment is set outside of torch",
}
"""What the check finds and a run cannot, and why."""
TWO_DEVICES = {"two_gpus_bad", "two_gpus_good", "ordinal_good"}
RAISING = {"ordinal_bad"}
"""Programs that end at their mistake, whatever a guard lets pass."""


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 knows lines only, and no operands' texts")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_a_run_finds_what_the_check_finds(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CUDA_VISIBLE_DEVICES", "CUDA_LAUNCH_BLOCKING"):
        monkeypatch.setenv(
            name, os.environ.get(name, "")
        )  # programs set them, and the next one shall not see it
    devices = 2 if program.stem in TWO_DEVICES else 1
    with devlint.simulate("cuda", devices), devlint.guard(mismatch="log") as guard:
        if program.stem in RAISING:
            with pytest.raises(RuntimeError):
                runpy.run_path(str(program), run_name="__main__")
        else:
            runpy.run_path(str(program), run_name="__main__")
    found: defaultdict[int, list[str]] = defaultdict(list)
    for finding in guard.findings:
        found[finding.site.line].append(finding.code)
    expected = {
        line: [code for code in codes if code not in NOT_SEEN] for line, codes in marks(program).items()
    }
    assert {line: sorted(codes) for line, codes in found.items()} == {
        line: codes for line, codes in expected.items() if codes
    }
