"""One file's way: read, check, fix, write. Whatever goes wrong with one file stays with that file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from devlint.pipeline.check import find_all, unreadable
from devlint.pipeline.document import Document, read_document
from devlint.pipeline.fixed import MAX_PASSES, Fixed, FixError
from devlint.project.discover import NOTEBOOK_SUFFIX, SourceFile, reason
from devlint.report import SourceText
from devlint.source.unreadable import UnreadableSource

if TYPE_CHECKING:
    from devlint.model import Finding
    from devlint.project.cache import Cache

ISSUES = "https://github.com/devlint/devlint/issues"


class Change(Enum):
    """What to do about findings besides reporting them."""

    NOTHING = "nothing"
    FIX = "fix"
    """Apply the fixes that are asked for."""
    IGNORE = "ignore"
    """Add a suppression for each."""


class Task(NamedTuple):
    """What to do with a file."""

    change: Change = Change.NOTHING
    unsafe: bool = False
    """Whether unsafe fixes are asked for."""
    write: bool = True
    """Whether what changes is written to the file."""


class Outcome:
    """What came of one file."""

    def __init__(self, path: str, findings: list[Finding] | None = None) -> None:
        self.path = path
        """As reports name it."""
        self.findings: list[Finding] = [] if findings is None else findings
        self.source: SourceText | None = None
        self.changed: Counter[str] = Counter()
        """How many findings were fixed, or newly ignored, by code."""
        self.before = ""
        self.after = ""
        """The text before and after changes."""
        self.failure = ""
        """What went wrong in devlint or in writing, in one line; empty if nothing did."""
        self.trace = ""
        """The traceback that belongs to the failure, if it is devlint's own."""


def check_file(file: SourceFile, name: str, task: Task, cache: Cache | None = None) -> Outcome:
    """Check one file. Raises nothing that is the file's fault or devlint's.

    `cache` may know what was found in such a file before, and is told what is found.
    """
    try:
        data = file.path.read_bytes()
    except OSError as error:
        return Outcome(name, [unreadable(name, reason(error))])
    if cache is None or task.change is not Change.NOTHING:
        return _check_read(data, file, name, task)
    key = _key(data, file, cache)
    found = cache.find(key, name)
    if found is not None:
        return _recalled(data, file, name, found)
    outcome = _check_read(data, file, name, task)
    if not outcome.failure:
        cache.keep(key, outcome.findings)
    return outcome


def recall(file: SourceFile, name: str, cache: Cache) -> Outcome | None:
    """What came of such a file before; None if it is not known, or cannot be read."""
    try:
        data = file.path.read_bytes()
    except OSError:
        return None
    found = cache.find(_key(data, file, cache), name)
    return None if found is None else _recalled(data, file, name, found)


def _key(data: bytes, file: SourceFile, cache: Cache) -> str:
    notebook = file.path.suffix == NOTEBOOK_SUFFIX
    return cache.key(data, file.settings.rules_for(file.path), notebook=notebook)


def _check_read(data: bytes, file: SourceFile, name: str, task: Task) -> Outcome:
    def write(document: Document) -> None:
        from devlint.pipeline.write import replace_file  # noqa: PLC0415  # few runs write

        replace_file(file.path, data, document.to_bytes())

    return check_data(data, file, name, task, write)


def check_data(
    data: bytes, file: SourceFile, name: str, task: Task, write: Callable[[Document], None] | None = None
) -> Outcome:
    """Check what a file holds. `write` is called with the changed document if there is one to be written."""
    outcome = Outcome(name)
    try:
        _check(outcome, data, file, task, write)
    except UnreadableSource as error:
        outcome.findings = [unreadable(name, error.reason, error.line, error.column)]
    except Exception as error:  # whatever devlint gets wrong, the other files are still checked
        import traceback  # noqa: PLC0415  # imported only where something went wrong

        outcome.failure = f"{name}: devlint failed on this file ({_where(error)}). Please report it: {ISSUES}"
        outcome.trace = traceback.format_exc()
    return outcome


def _recalled(data: bytes, file: SourceFile, name: str, findings: list[Finding]) -> Outcome:
    """What came of a file whose findings are known."""
    outcome = Outcome(name, findings)
    if findings:
        with suppress(UnreadableSource):  # which then is what was found
            notebook = file.path.suffix == NOTEBOOK_SUFFIX
            outcome.source = read_document(data, name, notebook=notebook).source()
    return outcome


def _check(
    outcome: Outcome, data: bytes, file: SourceFile, task: Task, write: Callable[[Document], None] | None
) -> None:
    notebook = file.path.suffix == NOTEBOOK_SUFFIX
    document = read_document(data, outcome.path, notebook=notebook)
    on = file.settings.rules_for(file.path)
    outcome.before = document.text
    try:
        result = _changed(document, outcome.path, on, task)
        if task.write and write is not None and result.document.text != document.text:
            write(result.document)
    except (FixError, OSError, UnreadableSource) as error:
        outcome.failure = f"{outcome.path}: {_refusal(error)}; nothing was changed"
        result = Fixed(document, find_all(document.text, outcome.path, on))
    outcome.after = result.document.text
    outcome.changed = result.counts
    outcome.source = result.document.source()
    outcome.findings = _in_cells(result.findings, outcome.source)
    if not result.settled:
        outcome.failure = (
            f"{outcome.path}: fixes still changed it after {MAX_PASSES} passes. Please report it: {ISSUES}"
        )


def _changed(document: Document, path: str, on: frozenset[str], task: Task) -> Fixed:
    match task.change:
        case Change.NOTHING:
            return Fixed(document, find_all(document.text, path, on))
        case Change.FIX:
            from devlint.pipeline.fix import fix_all  # noqa: PLC0415

            return fix_all(document, path, on, unsafe=task.unsafe)
        case Change.IGNORE:
            from devlint.pipeline.ignore import with_ignores  # noqa: PLC0415

            return with_ignores(document, path, on)


def _in_cells(findings: list[Finding], source: SourceText) -> list[Finding]:
    """Findings with places counted within a notebook's cells."""
    return [source.in_cells(finding) for finding in findings] if source.cells else findings


def _refusal(error: FixError | OSError | UnreadableSource) -> str:
    """Why a changed file was not written."""
    match error:
        case FixError():
            return f"{error} (please report it: {ISSUES})"
        case UnreadableSource():
            return f"could not be written: {error.reason}"
        case _:
            return f"could not be written: {reason(error)}"


def _where(error: Exception) -> str:
    """What an exception is and where in devlint it came from, in a few words."""
    import traceback  # noqa: PLC0415

    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "devlint" in Path(frame.filename).parts]
    text = " ".join(str(error).split())[:100]
    kind = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return f"{kind}, {Path(own[-1].filename).name}:{own[-1].lineno}" if own else kind
