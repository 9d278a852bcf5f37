"""Threads: each has its own stack of modes, which is empty at first.

Executors, timers and the pinning threads of data loaders are `threading.Thread`s, too. Threads that C code
starts are not observed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from devlint.instrumentation.patches import Patches

Entry = Callable[[], AbstractContextManager[object]]
"""Turns the observer on in a new thread."""
AsHere = Callable[[], Entry | None]
"""Called at the start of a thread: returns how to observe it like this place; None if this place is not
observed."""

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
    # Programs override `run`, which this calls.
    patches.wrap(threading.Thread, "_bootstrap_inner", around_bootstrap)
