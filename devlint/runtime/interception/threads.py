"""Threads: each has its own stack of modes, which is empty at first.

Executors, timers and the pinning threads of data loaders are `threading.Thread`s, too. Threads that C code
starts are not observed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager

from devlint.instrumentation.hooks import Failed, Leave, entered, hooked
from devlint.instrumentation.patches import Patches

Entry = Callable[[], AbstractContextManager[object]]
"""Turns the observer on in a new thread."""
AsHere = Callable[[], Entry | None]
"""Called at the start of a thread: returns how to observe it like this place; None if this place is not
observed."""

_ENTRY = "_devlint_entry"


def patch(patches: Patches, as_here: AsHere, failed: Failed) -> None:
    """Observe each thread that is started in observed code. `failed` is told of an error of devlint's own."""

    def start(thread: threading.Thread) -> None:
        entry = as_here()
        if entry is not None:
            vars(thread)[_ENTRY] = entry

    def begin(thread: threading.Thread) -> Leave | None:
        entry: Entry | None = vars(thread).pop(_ENTRY, None)
        return None if entry is None else entered(entry())

    patches.wrap(threading.Thread, "start", hooked(start, failed))
    # Programs override `run`, which this calls.
    patches.wrap(threading.Thread, "_bootstrap_inner", hooked(begin, failed))
