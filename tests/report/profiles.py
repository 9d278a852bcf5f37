"""Profiles of runs that nobody has run, for whoever draws them."""

from __future__ import annotations

from devlint.model import Confidence, Finding, Observed, Related, Severity, Site
from devlint.report import Report, SourceText
from devlint.report.profile import Act, ActKind, Lane, Moment, OperandOrigin, Profile, Stage
from devlint.report.totals import RunTotals, Seen

PROGRAM = """\
import torch

model = torch.nn.Linear(4, 4).to("cuda")
for batch in loader:
    loss = model(batch.to("cuda")).sum()
    losses.append(loss.item())
    outputs.append(loss.cpu())
"""
TEXTS = {5: 'batch.to("cuda")', 6: "loss.item()", 7: "loss.cpu()"}


def site(line: int, path: str = "train.py", text: str = PROGRAM) -> Site:
    """The expression of a line that waits or copies."""
    column = text.splitlines()[line - 1].index(TEXTS[line]) + 1
    return Site(path, line, column, line, column + len(TEXTS[line]), function="<module>")


def profile(steps: int = 20, *, timed: bool = True, path: str = "train.py", text: str = PROGRAM) -> Profile:
    """So many steps, by turns on two devices, each of which uploads, reads a value and copies it down: five
    moments of a millisecond each, one after the other."""
    shapes = [
        (ActKind.UPLOAD, 5, "`torch.Tensor.to`", "batch", "cpu → cuda", 1000),
        (ActKind.WAIT, 5, "`torch.Tensor.to`", "batch", "values are copied from pageable host memory", None),
        (ActKind.WAIT, 6, "`torch.Tensor.item`", "loss", "the host reads a value", None),
        (ActKind.DOWNLOAD, 7, "`torch.Tensor.cpu`", "loss", "cuda → cpu", 16),
        (ActKind.WAIT, 7, "`torch.Tensor.cpu`", "loss", "values are copied to the host", None),
    ]
    acts, moments = [], []
    for device in range(2):
        visits = len(range(device, steps, 2))
        for kind, line, operator, operand, detail, size in shapes:
            seen = Seen(visits, visits * 1e-3 if timed else None, None if size is None else visits * size)
            acts.append(
                Act(kind, site(line, path, text), operator, operand, detail, Lane(f"cuda:{device}"), seen)
            )
    for number in range(steps * len(shapes)):
        step, shape = divmod(number, len(shapes))
        act = step % 2 * len(shapes) + shape
        start = number * 1e-3
        seconds = 1e-3 if timed else None
        moments.append(Moment(act, start, start + 1e-3, step, seconds, shapes[shape][5], 1))
    read = Finding(
        "DL201",
        "host-read-on-hot-path",
        "reading `loss` makes the host wait for cuda:0, in the training loop",
        site(6, path, text),
        Severity.WARNING,
        (Related(site(5, path, text), "`loss` was moved to cuda:0 here"),),
        "keep the value on the device",
        observed=Observed(steps, steps * 1e-3 if timed else None),
        confidence=Confidence.SEEN,
    )
    dropped = Finding(
        "DL105",
        "dropped-move",
        "`loss` is not moved: the result of `loss.cpu()` is dropped",
        site(7, path, text),
        Severity.ERROR,
        observed=Observed(steps),
        confidence=Confidence.SEEN,
    )
    origin = OperandOrigin(
        "`loss` is on cuda:0",
        (
            Stage("created on cpu by `torch.rand`, no device given", "cpu", None),
            Stage("moved to cuda:0 by `torch.Tensor.to`", "cuda:0", site(5, path, text)),
        ),
    )
    totals = RunTotals(
        waits=Seen(3 * steps, 3e-3 * steps if timed else None),
        uploads=Seen(steps, bytes=1000 * steps),
        downloads=Seen(steps, bytes=16 * steps),
        remarks=[] if timed else ["the devices were simulated, so no time was measured"],
    )
    report = Report(findings=[dropped, read], sources={path: SourceText(text)}, run=totals)
    return Profile(report, path, "2.13.0", acts, moments, [[], [origin]], began=1.7e9)
