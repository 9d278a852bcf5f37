"""The progress of the program: optimizer steps, batches, waits. Events that recur in each step are hot."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import monotonic, time

from devlint.instrumentation.hooks import hooked, run_safely
from devlint.instrumentation.patches import Patches


class Progress:
    """Counts optimizer steps and batches drawn from data loaders, over all threads."""

    def __init__(self) -> None:
        self.steps = 0
        self.batches = 0
        self.waits = 0
        """How often the host was observed to wait for the device."""
        self.downloads = 0
        """How many asynchronous copies to the host have started."""
        self.bare_steps = 0
        self.bare_batches = 0
        """The batches at whose end the observer was off."""
        self.rests = False
        """Whether the observer is off."""
        self.on_step: Callable[[], None] | None = None
        """Called at the end of each step, see `devlint.runtime.sampling.sampler`."""
        self.on_epoch: Callable[[], None] | None = None
        """Called when a data loader has no more batches."""
        self.on_failure: Callable[[Exception], None] | None = None
        """Called with an internal error while counting."""
        self._stepped_since_batch = False
        self.started = monotonic()
        self.began = time()
        """When the count began, in seconds of the Unix clock."""

    @property
    def watched(self) -> tuple[int, int]:
        """How many of the steps and batches were observed."""
        return self.steps - self.bare_steps, self.batches - self.bare_batches

    @property
    def seconds(self) -> float:
        """Seconds since the count began."""
        return monotonic() - self.started

    def watch(self, patches: Patches) -> None:
        """Start counting, until the patches are undone."""
        # This module is also imported where torch is not, to read a trace or to set up a run.
        from torch.optim.optimizer import register_optimizer_step_post_hook  # noqa: PLC0415
        from torch.utils.data.dataloader import _BaseDataLoaderIter  # noqa: PLC0415

        stepped = partial(run_safely, self._stepped, self._failed)
        patches.removable(register_optimizer_step_post_hook(stepped))
        around = hooked(lambda _: self._after_draw, self._failed)
        patches.wrap(_BaseDataLoaderIter, "__next__", around)

    def _after_draw(self, kind: type[BaseException] | None, *_: object) -> None:
        """A data loader has been asked for a batch."""
        if kind is None:
            self._drew()
        elif issubclass(kind, StopIteration) and self.on_epoch is not None:
            self.on_epoch()

    def _failed(self, error: Exception) -> None:
        if self.on_failure is not None:
            self.on_failure(error)

    def _drew(self) -> None:
        self.batches += 1
        self.bare_batches += self.rests
        stepped, self._stepped_since_batch = self._stepped_since_batch, False
        if self.on_step is not None and not stepped:
            self.on_step()

    def _stepped(self) -> None:
        self.steps += 1
        self.bare_steps += self.rests
        self._stepped_since_batch = True
        if self.on_step is not None:
            self.on_step()
