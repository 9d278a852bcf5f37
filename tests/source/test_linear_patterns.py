"""Regular expressions take linear time on any text, so that no source, log or pasted error makes them wait.

The patterns of devlint's modules are run over repetitions of what they look for, by the methods by which they
are used. One that tries all ways takes seconds for these lengths, one that is linear takes milliseconds.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import signal
from collections.abc import Iterator
from typing import NamedTuple

import pytest

LENGTH = 12_000
MOST = 0.5
"""Seconds of the processor for one text."""
UNITS = (
    *("a", "a ", " ", "\t", "\n", " \n", "\r", "#", "# ", "'", '"', "'''", '"""', "\\", "\\'", "(", "["),
    *("a,", "a.", "a=", "0", "f'", "a:", "::", "# devlint: ignore", "devlint:", "ignore[", "DL101,", "noqa:"),
    *('File "', "  File ", "Error: ", "cuda:", "cuda:0 ", "device ", "/", "./", "\x1b[", "x\n  ", "-", "|"),
    *(", line 1", "##", "\f", "E   ", "[rank0]: ", "and ", "torch.", "`", "` ", "{", "at "),
)
BEFORE = ("", "# devlint: ignore[", 'File "', "RuntimeError: ")
PACKAGES = ("model", "source", "project", "pipeline", "report", "errors", "runtime.explain")
SEARCHES = r"\b{name}\.(?:finditer|findall|search|sub|subn|split)\b|\bre\.\w+\({name}\b"


class Used(NamedTuple):
    """A pattern, and whether it is looked for anywhere in a text."""

    pattern: re.Pattern[str]
    searched: bool


def patterns() -> Iterator[tuple[str, Used]]:
    """The patterns that stand in modules, and the texts that become patterns when they are used."""
    for package in PACKAGES:
        home = importlib.import_module(f"devlint.{package}")
        for found in pkgutil.walk_packages(home.__path__, f"{home.__name__}."):
            module = importlib.import_module(found.name)
            text = inspect.getsource(module)
            for name, held in vars(module).items():
                for pattern in compiled(name, held):
                    searched = re.search(SEARCHES.format(name=name), text) is not None
                    yield f"{found.name}.{name}", Used(pattern, searched)


def compiled(name: str, held: object) -> Iterator[re.Pattern[str]]:
    if isinstance(held, re.Pattern) and isinstance(held.pattern, str):
        yield held
    elif isinstance(held, str) and name.startswith("_") and re.search(r"\\[sdwrn]|\[\^", held):
        yield re.compile(held)


ALL = dict(patterns())


def test_they_are_found() -> None:
    assert len(ALL) > 40
    assert ALL["devlint.source.nesting._CODE"].searched
    assert not ALL["devlint.errors.pasted._HEADER"].searched


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="a regular expression cannot be interrupted")
@pytest.mark.parametrize("name", ALL)
def test_no_text_takes_long(name: str) -> None:
    pattern, searched = ALL[name]
    length = LENGTH if searched else 4 * LENGTH
    tried = [""]

    def too_long(*_: object) -> None:
        raise TimeoutError(tried[0][:40])

    before = signal.signal(signal.SIGVTALRM, too_long)
    try:
        for unit in UNITS:
            for start in BEFORE:
                tried = [f"{start}{unit * (length // len(unit))}\0"]
                signal.setitimer(signal.ITIMER_VIRTUAL, MOST)
                pattern.match(tried[0])
                for _ in pattern.finditer(tried[0]) if searched else ():
                    pass
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
