"""What `devlint run` puts around a program, with and without the waits that torch makes in C++."""

from __future__ import annotations

import os
from types import TracebackType

from devlint.runtime.policy.settings import RunSettings
from devlint.runtime.session.session import Session

_SOURCE = "DEVLINT_HIDDEN_WAITS"
PLAIN = "devlint run"
HIDDEN = {f"devlint run, {source}": source for source in ("debug", "trace")}
"""The names of observers that hear of hidden waits, and from which source."""
HEARS_ALL = "devlint run, trace"


class Observed:
    """A session, as a context; `source` says how it hears of hidden waits, if at all."""

    def __init__(self, settings: RunSettings, source: str = "") -> None:
        self.session = Session(settings)
        self._source = source

    def __enter__(self) -> Session:
        os.environ[_SOURCE] = self._source
        self.session.start()
        return self.session

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.session.stop()
        del os.environ[_SOURCE]
