"""How far the program has come: optimizer steps, batches, waits. What recurs from step to step is hot."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic, time

from devlint.instrumentation.patches import Patches


class Progress:
    """Counts optimizer steps and batches drawn from data loaders, over all threads."""

    def __init__(self) -> None:
        self.steps = 0
        self.batches = 0
        self.waits = 0
        """How often the host has waited for the device, by what was seen."""
        self.downloads = 0
        """How many copies to the host have begun that it does not wait for."""
        self.bare_steps = 0
        self.bare_batches = 0
        """Those of them at whose end nobody watched."""
        self.rests = False
        """Whether nobody watches at the moment."""
        self.on_step: Callable[[], None] | None = None
        """Called at the end of each step, see `devlint.runtime.sampling.sampler`."""
        self.on_epoch: Callable[[], None] | None = None
        """Called when a data loader has no more batches."""
        self.on_failure: Callable[[Exception], None] | None = None
        """Told what goes wrong in devlint while it counts."""
        self._stepped_since_batch = False
        self.started = monotonic()
        self.began = time()
        """When the count began, in seconds of the Unix clock."""

    @property
    def watched(self) -> tuple[int, int]:
        """How many of the steps and batches were watched."""
        return self.steps - self.bare_steps, self.batches - self.bare_batches

    @property
    def seconds(self) -> float:
        """Seconds since the count began."""
        return monotonic() - self.started

    def watch(self, patches: Patches) -> None:
        """Count from now on, until the patches are undone."""
        # A trace is read, and a run is set up, without torch.
        from torch.optim.optimizer import register_optimizer_step_post_hook  # noqa: PLC0415
        from torch.utils.data.dataloader import _BaseDataLoaderIter  # noqa: PLC0415

        patches.removable(register_optimizer_step_post_hook(lambda *_: self._note(self._stepped)))
        draw = _BaseDataLoaderIter.__next__

        def __next__(iterator: object) -> object:  # noqa: N807 - it stands in for this method
            try:
                batch = draw(iterator)  # type: ignore[arg-type]
            except StopIteration:
                self._note(self.on_epoch)
                raise
            self._note(self._drew)
            return batch

        patches.replace(_BaseDataLoaderIter, "__next__", __next__)

    def _note(self, what: Callable[[], None] | None) -> None:
        """Take note of something; where devlint fails in it, the program must not notice."""
        try:
            if what is not None:
                what()
        except Exception as error:
            if self.on_failure is None:
                raise
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
