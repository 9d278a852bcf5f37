"""Asks one question about many things in a separate process: a crash or a hang loses one answer only."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Generator, Iterable
from multiprocessing.connection import Connection
from typing import TypeAlias

Question: TypeAlias = Callable[[str], str]
_SPAWN = multiprocessing.get_context("spawn")  # a forked process cannot use CUDA


def answers(
    question: Question, subjects: Iterable[str], seconds: float
) -> Generator[tuple[str, str | None], None, None]:
    """Each subject with its answer, in order; None if the process crashed or exceeded the limit.

    The question has to be a module's function.
    """
    respondent = None
    try:
        for subject in subjects:
            respondent = respondent or _Respondent(question)
            answer = respondent.answer(subject, seconds)
            if answer is None:
                respondent.end()
                respondent = None
            yield subject, answer
    finally:  # also if the caller stops early
        if respondent:
            respondent.end()


class _Respondent:
    """A process that answers questions until it crashes."""

    def __init__(self, question: Question) -> None:
        self._ours, theirs = _SPAWN.Pipe()
        self._process = _SPAWN.Process(target=_serve, args=(question, theirs), daemon=True)
        self._process.start()
        theirs.close()

    def answer(self, subject: str, seconds: float) -> str | None:
        self._ours.send(subject)
        try:
            return str(self._ours.recv()) if self._ours.poll(seconds) else None
        except (EOFError, OSError):  # it crashed
            return None

    def end(self) -> None:
        self._process.kill()
        self._process.join()
        self._ours.close()


def _serve(question: Question, connection: Connection) -> None:
    while True:
        connection.send(question(connection.recv()))
