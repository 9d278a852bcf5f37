"""The progress bar."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

PATIENCE = 1.0
"""How long nothing is shown, in seconds, so that short checks show no bar."""


def watched(items: Iterable[T], total: int) -> Iterator[T]:
    """Pass the items on. After `PATIENCE`, show the progress on standard error if it is a terminal."""
    if not sys.stderr.isatty():
        yield from items
        return
    began = time.monotonic()
    iterator = iter(items)
    for done, item in enumerate(iterator, start=1):
        yield item
        if time.monotonic() - began > PATIENCE and done < total:
            yield from _with_bar(iterator, done, total)


def _with_bar(items: Iterator[T], done: int, total: int) -> Iterator[T]:
    from rich.console import Console  # noqa: PLC0415  # most runs are over before they need it
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (
        TextColumn("Checking"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("files"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=total, completed=done)
        for item in items:
            yield item
            progress.advance(task)
