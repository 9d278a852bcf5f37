"""Withheld findings, one per line: `--show-silenced`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from devlint.model import Withheld
from devlint.report.place import place


def render(withheld: Iterable[Withheld], out: TextIO) -> None:
    """`train.py:31:12: DL201 withheld: once: it is not on a hot path`."""
    for each in withheld:
        silence = each.silence
        out.write(
            f"{place(each.finding.site)}: {each.finding.code} withheld: {silence.value}: {silence.meaning}\n"
        )
