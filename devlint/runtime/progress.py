"""How far the program has come: optimizer steps, batches, waits. What recurs from step to step is hot."""

from __future__ import annotations

from time import monotonic

from devlint.runtime.patches import Patches


class Progress:
    """Counts optimizer steps and batches drawn from data loaders, over all threads."""

    def __init__(self) -> None:
        self.steps = 0
        self.batches = 0
        self.waits = 0
        """How often the host has waited for the device, by what was seen."""
        self.downloads = 0
        """How many copies to the host have begun that it does not wait for."""
        self.started = monotonic()

    @property
    def seconds(self) -> float:
        """Seconds since the count began."""
        return monotonic() - self.started

    def watch(self, patches: Patches) -> None:
        """Count from now on, until the patches are undone."""
        # A trace is read, and a run is set up, without torch.
        from torch.optim.optimizer import register_optimizer_step_post_hook  # noqa: PLC0415
        from torch.utils.data.dataloader import _BaseDataLoaderIter  # noqa: PLC0415

        patches.removable(register_optimizer_step_post_hook(self._stepped))
        draw = _BaseDataLoaderIter.__next__

        def __next__(iterator: object) -> object:  # noqa: N807 - it stands in for this method
            batch = draw(iterator)  # type: ignore[arg-type]
            self.batches += 1
            return batch

        patches.replace(_BaseDataLoaderIter, "__next__", __next__)

    def _stepped(self, *_: object) -> None:
        self.steps += 1
