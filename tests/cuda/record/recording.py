"""Asks the observers of a part, each in processes of its own, and writes down what they say."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Lock
from time import monotonic

import torch

from tests.cuda.record.files import LOST, Row, read, write
from tests.cuda.record.ground import Ground, environment
from tests.cuda.record.part import Ask, Observer, Part
from tools.operators.isolated import answers

_BETWEEN_WRITES = 10.0
"""Seconds after which what is known so far is written, in case the whole process is ended."""


@dataclass(slots=True)
class Recording:
    """One part being recorded: what is known of it, and where that is written."""

    part: Part
    path: Path
    header: dict[str, str]
    known: dict[tuple[str, str], list[Row]] = field(default_factory=dict)
    """By observer and subject."""
    wanted: list[tuple[Observer, Ground, str]] = field(default_factory=list)
    lost_before: set[tuple[str, str]] = field(default_factory=set)
    """What an earlier run has lost. It is asked last: it may cost the whole patience again."""
    _lock: Lock = field(default_factory=Lock)
    _written: float = 0.0

    def add(self, observer: Observer, ground: Ground, subject: str, answer: str | None) -> None:
        """Take down an answer; None is one that was lost."""
        seen = [(LOST,)] if answer is None else json.loads(answer)
        rows = [Row(ground, observer.name, subject, tuple(fields)) for fields in seen]
        with self._lock:
            self.known[observer.name, subject] = rows
            if monotonic() - self._written > _BETWEEN_WRITES:
                self.save()

    def save(self) -> None:
        """Write what is known, in the order in which it is asked."""
        rows = [row for observer, _, subject in self.wanted for row in self._rows(observer, subject)]
        asked = f"{sum((observer.name, subject) in self.known for observer, _, subject in self.wanted)}"
        header = {**self.header, "shows": self.part.shows, "asked": f"{asked} of {len(self.wanted)}"}
        write(self.path, header, self.part.columns, rows)
        self._written = monotonic()

    def _rows(self, observer: Observer, subject: str) -> list[Row]:
        return self.known.get((observer.name, subject), [])


def record(part: Part, ground: Ground, header: dict[str, str], path: Path, seconds: float) -> str:
    """Record a part, or what an earlier run has left of it; says what came of it.

    What an earlier run has lost is asked again. It takes a little longer than `seconds`: answers that are
    under way are waited for.
    """
    recording = Recording(part, path, header)
    for observer, place in part.on(ground):
        subjects = part.subjects(observer, place)
        recording.wanted.extend((observer, place, subject) for subject in subjects)
    for row in read(path).rows if path.exists() else ():
        if row.fields == (LOST,):
            recording.lost_before.add((row.observer, row.subject))
        else:
            recording.known.setdefault((row.observer, row.subject), []).append(row)
    started = monotonic()
    for together in _turns(part.on(ground)):
        with environment(together[0][1]), ThreadPoolExecutor(len(together)) as threads:
            asked = [threads.submit(_ask_all, recording, *one, started + seconds) for one in together]
        for one in asked:
            one.result()
    recording.save()
    lost = [key for key, rows in recording.known.items() if [row.fields for row in rows] == [(LOST,)]]
    known = sum((observer.name, subject) in recording.known for observer, _, subject in recording.wanted)
    said = f"{known} of {len(recording.wanted)} answers in {monotonic() - started:.0f} s"
    return said + "".join(f"; lost: {' '.join(key)}" for key in lost)


def _turns(asked: list[tuple[Observer, Ground]]) -> list[list[tuple[Observer, Ground]]]:
    """Who is asked together: those that take no time, of one ground; the others one by one."""
    turns: dict[object, list[tuple[Observer, Ground]]] = {}
    for observer, ground in asked:
        turns.setdefault(observer if observer.timed else ground, []).append((observer, ground))
    return list(turns.values())


def _ask_all(recording: Recording, observer: Observer, ground: Ground, deadline: float) -> None:
    """Ask one observer about all that it has not yet told, or as much as there is time for."""
    left = [
        subject
        for other, _, subject in recording.wanted
        if other is observer and (observer.name, subject) not in recording.known
    ]
    left.sort(key=lambda subject: (observer.name, subject) in recording.lost_before)
    workers = max(1, min(observer.workers, os.cpu_count() or 1, len(left)))

    def share(subjects: Sequence[str]) -> None:
        if not subjects or monotonic() > deadline:
            return
        question = partial(answer_of, observer.ask, ground)
        with closing(answers(question, subjects, observer.patience)) as told:
            for subject, answer in told:
                recording.add(observer, ground, subject, answer)
                if monotonic() > deadline:
                    return

    with ThreadPoolExecutor(workers) as threads:
        list(threads.map(share, [left[first::workers] for first in range(workers)]))


def answer_of(ask: Ask, ground: Ground, subject: str) -> str:
    """What an observer says of a subject, as JSON; asked in a process apart.

    Where the device is beyond use afterwards, the process ends, so that the next question finds a new one.
    """
    warnings.simplefilter("ignore")
    answer = json.dumps(ask(subject))
    if ground is Ground.CUDA:
        _end_unless(torch.cuda.synchronize)
    return answer


def _end_unless(works: Callable[[], object]) -> None:
    try:
        works()
    except Exception as error:  # a failed kernel has made every later call fail
        sys.stderr.write(f"{error}\n")
        sys.stderr.flush()
        os._exit(1)
