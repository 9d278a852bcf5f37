"""Which snippets of `tests/runtime/synchronizations.toml` make the host wait."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path

from devlint.model import Event, Synchronization
from devlint.runtime.policy.settings import RunSettings
from devlint.runtime.session.session import Session
from tests.cuda.record import waits
from tests.cuda.record.ground import Ground
from tests.cuda.record.observed import HIDDEN, PLAIN, Observed
from tests.cuda.record.part import SIMULATED, Fields, Observer, Part
from tests.runtime.synchronizations import SIMULATED as SIMULATED_DEVICES
from tests.runtime.synchronizations import Snippet, prepared, snippets

See = Callable[[Snippet], tuple[str, str]]
"""Gives the letter for a snippet, and a detail."""


@cache
def by_name() -> dict[str, Snippet]:
    """All snippets, named by fact, setup and code, as JSON, whatever becomes of the order of the table."""
    return {json.dumps([each.fact, each.setup, each.code]): each for each in snippets()}


def _forbidden(name: str) -> list[Fields]:
    return _asked(name, lambda snippet: waits.forbidden(prepared(snippet)))


def _traced(name: str) -> list[Fields]:
    """What the GPU trace sees, once what is done for the first time has been done."""

    def see(snippet: Snippet) -> tuple[str, str]:
        prepared(snippet)()
        kinds = waits.traced(prepared(snippet))
        return waits.WAITS if kinds else waits.GOES_ON, json.dumps(kinds)

    return _asked(name, see)


def _timed(name: str) -> list[Fields]:
    """How long the host is kept while the device is busy."""

    def see(snippet: Snippet) -> tuple[str, str]:
        prepared(snippet)()
        least = waits.milliseconds(_fresh(snippet))
        return waits.WAITS if waits.waited(least) else waits.GOES_ON, f"{least:.2f} ms"

    return _asked(name, see)


def _profiled(name: str) -> list[Fields]:
    def see(snippet: Snippet) -> tuple[str, str]:
        prepared(snippet)()
        calls = waits.profiled(prepared(snippet))
        waiting = any("Synchronize" in name for name in calls)
        return waits.WAITS if waiting else waits.GOES_ON, json.dumps(calls)

    return _asked(name, see)


def _asked(name: str, see: See) -> list[Fields]:
    snippet = by_name()[name]
    try:
        letter, detail = see(snippet)
    except Exception as error:  # whatever a snippet raises, such as for want of a second device
        letter, detail = waits.RAISES, str(error).partition("\n")[0]
    return [(letter, detail)]


def _fresh(snippet: Snippet) -> Callable[[], None]:
    """The snippet with names that are made anew before each run: some change what they are given.

    They are made before the device gets busy, so as many as there are runs.
    """
    ready = [prepared(snippet) for _ in range(waits.RUNS)]

    def run() -> None:
        ready.pop()()

    return run


def _seen(settings: RunSettings, source: str, name: str) -> list[Fields]:
    """What a session sees: of each wait the cause, the milliseconds, and where it is said to be."""
    observed = Observed(settings, source)
    session = observed.session
    seen: list[Event] = []
    session.listeners.append(lambda event, _: seen.append(event))

    def see(snippet: Snippet) -> tuple[str, str]:
        run = prepared(snippet)
        seen.clear()
        run()
        found = [
            (event.cause.value, event.seconds and round(event.seconds * 1e3, 3), _place(session, event))
            for event in seen
            if isinstance(event, Synchronization)
        ]
        return waits.WAITS if found else waits.GOES_ON, json.dumps(found)

    with observed:
        return _asked(name, see)


def _place(session: Session, event: Event) -> str:
    site = session.sites.site(event.site)
    return f"{Path(site.path).name}:{site.line}"


_UNTIL_ACCEPTED = "VonMises"
"""Draws until a value is accepted, so never ends where none is computed."""


def _subjects(observer: Observer, ground: Ground) -> Sequence[str]:
    """All snippets; where an error would confuse the observer, those that raise none."""
    takes_errors = observer.name in ("debug mode", "simulated", PLAIN)
    return [
        name
        for name, snippet in by_name().items()
        if (takes_errors or not snippet.raises)
        and not (ground is Ground.NULL_DRIVER and _UNTIL_ACCEPTED in snippet.setup)
    ]


PART = Part(
    name="snippets",
    shows="whether the host waits in each snippet of tests/runtime/synchronizations.toml",
    columns=("w waits, . goes on, r raises", "detail"),
    subjects=_subjects,
    observers=(
        Observer("debug mode", _forbidden, patience=30),
        Observer("busy device", _timed, (Ground.CUDA,), timed=True),
        Observer("GPU trace", _traced, patience=30),
        Observer("simulated", partial(_seen, SIMULATED_DEVICES, ""), SIMULATED, workers=4),
        Observer(PLAIN, partial(_seen, RunSettings(), ""), timed=True, patience=30),
        *(
            Observer(name, partial(_seen, RunSettings(), source), timed=True)
            for name, source in HIDDEN.items()
        ),
        Observer("profiler", _profiled, (Ground.CUDA,), timed=True),
    ),
    seconds=90,
)
