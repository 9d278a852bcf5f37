"""Examining files that another machine has sent, with what they import; nothing is read from the disk here.

What was not sent seems not to be there. With each outcome goes the state of all paths on which it depends, as
it seemed to be. Where a state is another one at home, something was missing, and the file is sent again, with
that.
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
"""A process examines one file at a time, however many threads its worker has."""


class Parcel(NamedTuple):
    """Some files to examine, and what they may need."""

    version: str
    task: Task
    named: tuple[tuple[SourceFile, str], ...]
    """The files, and what reports call them."""
    checked: tuple[SourceFile, ...]
    """Those of the files along that are checked too."""
    directory: Path
    """The working directory at home."""
    texts: dict[str, bytes]
    """What the files hold, by path, and those that they seem to import."""
    listings: Mapping[str, Mapping[str, str]]
    """What the directories hold that matter: what lies there under which name."""


class Answer(NamedTuple):
    """What came of a file, and what that rests on."""

    outcome: FileOutcome
    states: dict[str, str]


class WrongReleaseError(Exception):
    """The worker has another devlint."""


def examine_parcel(parcel: Parcel) -> list[Answer]:
    """Examine what was sent.

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
