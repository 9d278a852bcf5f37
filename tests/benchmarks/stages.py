"""Measures how long each stage of a check takes, by wrapping the functions of the stages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pkgutil import resolve_name
from time import process_time
from typing import Any
from unittest.mock import patch

STAGES = {
    "decode": "devlint.pipeline.session.file.read_document",
    "screen": "devlint.pipeline.analysis.analyze.may_matter",
    "read": "devlint.source.module_graph.read",
    "interpret": "devlint.source.machine.interprocedural.programs.AbstractMachine.run_body",
    "follow": "devlint.source.observation.Program.run",
    "suppress": "devlint.pipeline.analysis.text.names_devlint",
}
"""The function that does each stage, by the name under which it is called."""


@contextmanager
def timed_stages() -> Iterator[dict[str, float]]:
    """Measure stages meanwhile: the seconds of processor time that each has taken so far, without those of
    the stages that it began itself, for other files of the project.

    Costs about a microsecond a stage and file.

    Raises:
        AttributeError: if the function of a stage has moved.
    """
    spent = dict.fromkeys(STAGES, 0.0)
    inner = [0.0]
    with ExitStack() as patches:
        for stage, place in STAGES.items():
            patches.enter_context(patch(place, _timed(stage, resolve_name(place), spent, inner)))
        yield spent


def _timed(
    stage: str, work: Callable[..., Any], spent: dict[str, float], inner: list[float]
) -> Callable[..., Any]:
    """`inner` has what each stage that is under way has spent on others so far, the innermost last."""

    def run(*arguments: Any, **keywords: Any) -> Any:
        start = process_time()
        inner.append(0.0)
        try:
            return work(*arguments, **keywords)
        finally:
            taken = process_time() - start
            spent[stage] += taken - inner.pop()
            inner[-1] += taken

    return run
