"""Threads: each has a stack of modes of its own, which is empty at first.

Executors, timers and the threads of data loaders that pin memory are `threading.Thread`s too. Not seen are
threads that C code starts.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from devlint.instrumentation.patches import Patches

Entry = Callable[[], AbstractContextManager[object]]
"""Puts the observer on in a new thread."""
AsHere = Callable[[], Entry | None]
"""Called where a thread is started: how to observe it as this place is observed; None where it is not."""

_ENTRY = "_devlint_entry"


def patch(patches: Patches, as_here: AsHere) -> None:
    """Observe each thread that is started in observed code."""

    def around_start(start: Callable[..., Any]) -> Callable[..., Any]:
        def start_observed(thread: threading.Thread) -> Any:
            entry = as_here()
            if entry is not None:
                vars(thread)[_ENTRY] = entry
            return start(thread)

        return start_observed

    def around_bootstrap(bootstrap: Callable[..., Any]) -> Callable[..., Any]:
        def bootstrap_observed(thread: threading.Thread) -> Any:
            entry: Entry | None = vars(thread).pop(_ENTRY, None)
            if entry is None:
                return bootstrap(thread)
            with entry():
                return bootstrap(thread)

        return bootstrap_observed

    patches.wrap(threading.Thread, "start", around_start)
    # `run` is what programs override; this calls it.
    patches.wrap(threading.Thread, "_bootstrap_inner", around_bootstrap)
