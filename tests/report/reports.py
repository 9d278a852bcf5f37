"""Reports to render: findings made by hand from what they underline."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TextIO

from devlint.model import Applicability, Edit, Finding, Fix, Observed, Related, Severity, Site
from devlint.report import Report, SourceText, renderer

TRAIN = """\
import torch


class Net(torch.nn.Module):
    def __init__(self, n, device):
        super().__init__()
        self.mask = torch.ones(n)

    def forward(self, x):
        x = x.to("cuda:0")
        return x + self.mask


net = Net(3, "cpu")
print(net(torch.ones(3)))
"""


def site(source: SourceText, what: str, path: str = "train.py", function: str = "") -> Site:
    """The only place where the text says something."""
    assert source.text.count(what) == 1
    start = source.text.index(what)
    line, column = source.lines.position(start)
    end_line, end_column = source.lines.position(start + len(what))
    return Site(path, line, column, end_line, end_column, start, start + len(what), function)


def inside(outer: Site, source: SourceText, what: str) -> Site:
    """A place within a place."""
    start = source.text.index(what, outer.start, outer.end)
    line, column = source.lines.position(start)
    end_line, end_column = source.lines.position(start + len(what))
    return Site(outer.path, line, column, end_line, end_column, start, start + len(what), outer.function)


def mismatch() -> Finding:
    """DL101 with marks, origins, help and an unsafe fix."""
    source = SourceText(TRAIN)
    operation = site(source, "x + self.mask", function="Net.forward")
    made = site(source, "torch.ones(n)", function="Net.__init__")
    return Finding(
        "DL101",
        "cross-device-operation",
        "operands of `torch.add` are on different devices",
        operation,
        Severity.ERROR,
        related=(
            Related(inside(operation, source, "x"), "cuda:0", label=True),
            Related(inside(operation, source, "self.mask"), "cpu", label=True),
            Related(site(source, 'x = x.to("cuda:0")'), "x was moved to cuda:0 here"),
            Related(made, "self.mask was made on cpu here"),
        ),
        help="register it, so that .to() moves it",
        fix=Fix(
            "Register it as a buffer",
            Applicability.UNSAFE,
            (
                Edit(
                    made.start - len("self.mask = "), made.end, 'self.register_buffer("mask", torch.ones(n))'
                ),
            ),
        ),
    )


def waiting() -> Finding:
    """DL203, with a safe fix and what a run measured."""
    source = SourceText(TRAIN)
    printed = site(source, "print(net(torch.ones(3)))")
    return Finding(
        "DL203",
        "formatting-device-tensor",
        "printing waits for the device",
        printed,
        Severity.WARNING,
        fix=Fix("Remove it", Applicability.SAFE, (Edit(printed.start, printed.end + 1, ""),)),
        observed=Observed(3, seconds=0.5),
    )


def broken() -> Finding:
    """DL900, about a file without text."""
    where = Site("bad, file.py", 2, 7, 2, 7)
    return Finding("DL900", "unreadable-file", "100% broken:\nno colon", where, Severity.ERROR)


def report(*findings: Finding, **more: object) -> Report:
    """A report on these findings in train.py."""
    ordered = sorted(findings, key=lambda finding: finding.sort_key)
    return Report(ordered, {"train.py": SourceText(TRAIN)}, checked=2, **more)  # type: ignore[arg-type]


def rendered(name: str, what: Report) -> str:
    """The report in a format."""
    out = io.StringIO()
    renderer(name)(what, out)
    return out.getvalue()


def io_of(write: Callable[[TextIO], None]) -> str:
    """What is written to a stream."""
    out = io.StringIO()
    write(out)
    return out.getvalue()
