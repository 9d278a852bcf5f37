"""Tests of the number of runs of a program, and of the state in which hypotheses are tried."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from devlint.model import Operation
from devlint.source.machine.interprocedural.machine import AbstractMachine
from devlint.source.observation import observe

_PROGRAM = """
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--verbose", action="store_true")
args = parser.parse_args()
w = torch.ones(3)
if args.verbose:
    w = {other}

def unused():
    return w + torch.zeros(3, device="{device}")
"""


def test_a_program_is_run_once_for_each_way_to_set_its_options() -> None:
    text = _PROGRAM.format(other="w + 1", device="cpu")
    run_body = AbstractMachine.run_body
    with patch.object(AbstractMachine, "run_body", autospec=True, side_effect=run_body) as ran:
        observe(text, "program.py")
    assert ran.call_count == 2


@pytest.mark.parametrize("device", ["cuda", "cpu"])
def test_what_nothing_calls_is_tried_without_options_and_with_those_that_choose_a_device(
    device: str,
) -> None:
    observed = observe(_PROGRAM.format(other="w.cuda()", device=device), "program.py")
    found = [each for each in observed.events if isinstance(each, Operation)]
    assert len(found) == 1
    assert all(observed.traces[each].hypotheses == {"unused"} for each in found)
