"""The rules against torch's own verdicts: silent on what torch takes, and outspoken on what it refuses.

`device_verdicts.tsv` holds one statement a line and what torch's CUDA build said of it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.rules import registry
from devlint.rules.engine import judge
from devlint.source import observe

PROLOGUE = """\
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

x = torch.zeros(4, 4, device="cuda:0")
v = torch.zeros(4, device="cuda:0")
s = torch.tensor(2.0, device="cuda:0")
i = torch.zeros(4, dtype=torch.long, device="cuda:0")
m = torch.zeros(4, 4, dtype=torch.bool, device="cuda:0")
k = torch.zeros((), dtype=torch.long, device="cuda:0")
cx = torch.zeros(4, 4, device="cpu")
cv = torch.zeros(4, device="cpu")
cs = torch.tensor(2.0, device="cpu")
ci = torch.zeros(4, dtype=torch.long, device="cpu")
cm = torch.zeros(4, 4, dtype=torch.bool, device="cpu")
ck = torch.zeros((), dtype=torch.long, device="cpu")
y = torch.zeros(4, 4, device="cuda:1")
"""
ROWS = [
    line.split("\t")
    for line in (Path(__file__).parent / "device_verdicts.tsv").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]


def verdicts(wanted: str) -> list[str]:
    """The statements with a verdict, without those that source text cannot show."""
    return [row[1] for row in ROWS if row[0] == wanted and len(row) == 2]


def said(statement: str) -> list[str]:
    """The findings of family DL1 for a statement."""
    family = [rule for rule in registry.all_rules() if rule.code.startswith("DL1") and rule.enabled]
    return [draft.code for draft in judge(observe(f"{PROLOGUE}{statement}\n", "verdict.py").events, family)]


@pytest.mark.parametrize("statement", verdicts("legal"))
def test_what_torch_takes_is_not_reported(statement: str) -> None:
    assert said(statement) == []


@pytest.mark.parametrize("statement", verdicts("raises"))
def test_what_torch_refuses_is_reported(statement: str) -> None:
    assert len(said(statement)) >= 1
