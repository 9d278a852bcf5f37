"""Examining files that another machine sent, with their imports; nothing is read from the disk of this
machine.

Files that were not sent seem to be missing. Each outcome is returned with the state of all paths on which it
depends. If a state differs from that on the sending machine, a file was missing, and the parcel is sent again
with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from devlint.pipeline.session.examine import examine_file
from devlint.pipeline.session.session import CheckSession
from devlint.pipeline.session.task import FileOutcome, Task
from devlint.project.discover import SourceFile
from devlint.project.disk import Copy
from devlint.version import __version__

_ALONE = Lock()
"""A process examines one file at a time, even if its worker has several threads."""


class Parcel(NamedTuple):
    """Some files to examine, and the files that they may need."""

    version: str
    task: Task
    named: tuple[tuple[SourceFile, str], ...]
    """The files, with their names in reports."""
    checked: tuple[SourceFile, ...]
    """Those of the included files that are checked, too."""
    directory: Path
    """The working directory on the sending machine."""
    texts: dict[str, bytes]
    """The contents of the files and of those that they seem to import, by path."""
    listings: Mapping[str, Mapping[str, str]]
    """The entries of relevant directories."""


class Answer(NamedTuple):
    """The outcome of a file, and what it depends on."""

    outcome: FileOutcome
    states: dict[str, str]


class WrongReleaseError(Exception):
    """The worker has another release of devlint."""


def examine_parcel(parcel: Parcel) -> list[Answer]:
    """Examine the files of a parcel.

    Raises:
        WrongReleaseError: if it was sent by another release.
    """
    if parcel.version != __version__:
        raise WrongReleaseError(f"a worker has devlint {__version__}; this is {parcel.version}")
    with _ALONE:
        disk = Copy(str(parcel.directory), parcel.listings, parcel.texts)
        session = CheckSession(parcel.task, None, parcel.checked, parcel.directory, parcel.texts, disk)
        answers = []
        for file, name in parcel.named:
            outcome = examine_file(file, name, session)
            states = {path: session.modules.state(path) for path in outcome.uses}
            answers.append(Answer(outcome, states))
            session.done(file.path)
        return answers
