"""All blind spots together: put in place with the observer, and put back with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from torch._C import _get_function_stack_at, _len_torch_function_stack

from devlint.runtime.blind_spots import backward, threads, wrapping
from devlint.runtime.fast_path import patch_fast_path
from devlint.runtime.frames import user_frame
from devlint.runtime.guards import adopted, current, here
from devlint.runtime.observer import Observer
from devlint.runtime.observer.backward import BackwardObserver
from devlint.runtime.patches import Patches
from devlint.runtime.sites import Sites

InThisThread = Callable[[], AbstractContextManager[None]]
"""Puts the observer on in the thread that calls it."""


class BlindSpots:
    """What one observer would not see by itself."""

    def __init__(self, observer: Observer, sites: Sites, in_this_thread: InThisThread) -> None:
        self._observer = observer
        self._sites = sites
        self._in_this_thread = in_this_thread

    def close(self, patches: Patches) -> None:
        """See it from now on, until the patches are undone."""
        backward.patch(patches, self._in_backward)
        threads.patch(patches, self._as_here)
        wrapping.patch(patches, observer_here)
        patch_fast_path(patches)

    def _as_here(self) -> threads.Entry | None:
        """What observes another thread as the guards around this place observe; None where there are none."""
        if not current():
            return None
        watches = here()

        @contextmanager
        def entry() -> Iterator[None]:
            with adopted(watches), self._in_this_thread():
                yield

        return entry

    def _in_backward(self) -> AbstractContextManager[object]:
        """What observes a backward pass that starts here."""
        if not current() or observer_here() is not None:
            return nullcontext()
        return BackwardObserver(self._observer, here(), self._sites.at(user_frame()))


def observer_here() -> Observer | None:
    """The observer that sees the calls of this place, which torch has taken off inside its own functions."""
    for place in range(_len_torch_function_stack()):
        mode = _get_function_stack_at(place)
        if isinstance(mode, Observer):
            return mode
    return None
