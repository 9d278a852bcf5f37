"""Where a value got its device."""

from __future__ import annotations

from enum import Enum

from devlint.model.device import Device
from devlint.model.site import SiteId
from devlint.model.value import value


class Step(Enum):
    """What happened to a value at one site of its history."""

    MADE = "made"
    MOVED = "moved"
    PARAMETER = "came in as a parameter"
    ATTRIBUTE = "kept as an attribute"
    DERIVED = "computed"


@value
class OriginStep:
    """One step of a history.

    `operator` is the canonical name of the operator that created or moved the value (`torch.ones`,
    `torch.Tensor.to`), or the name of the parameter or attribute. `implicit` is true if no device was named,
    so that torch used its default.
    """

    step: Step
    site: SiteId
    device: Device
    operator: str
    implicit: bool = False
    tied: bool = False
    """Whether an argument requires the device that a factory call used: generator, pinned memory, `out`."""
    value: SiteId | None = None
    """For an attribute whose `site` is a statement `self.name = value` that a registration can replace, the
    value: in `__init__`, after `super().__init__()`, with one target, and nowhere assigned what is no
    tensor."""
    rounds: bool = False
    """Whether the results of a factory call may be rounded differently on another device."""


@value
class Origin:
    """A chain of sites, the oldest first."""

    steps: tuple[OriginStep, ...] = ()

    @property
    def first(self) -> OriginStep | None:
        """Where the value began."""
        return self.steps[0] if self.steps else None

    @property
    def last(self) -> OriginStep | None:
        """What happened to the value last."""
        return self.steps[-1] if self.steps else None

    def made(self) -> OriginStep | None:
        """The factory call that created the value, if nothing has moved it since."""
        for step in reversed(self.steps):
            if step.step is Step.MADE:
                return step
            if step.step is Step.MOVED:
                return None
        return None

    @property
    def was_moved(self) -> bool:
        """Whether something has moved the value."""
        return any(step.step is Step.MOVED for step in self.steps)

    @property
    def is_derived(self) -> bool:
        """Whether the value was computed from another one, whose history this is."""
        return self.last is not None and self.last.step is Step.DERIVED and len(self.steps) > 1

    def derived(self) -> Origin:
        """The history of a value computed from this one. Deriving it again does not change it, so that it
        does not grow with a program's length."""
        if not self.steps or self.steps[-1].step is Step.DERIVED:
            return self
        last = self.steps[-1]
        return self.then(OriginStep(Step.DERIVED, last.site, last.device, ""))

    def then(self, step: OriginStep) -> Origin:
        """This history and one more step. Long histories keep their first and latest steps."""
        if len(self.steps) >= MAX_STEPS:
            return Origin((self.steps[0], *self.steps[-(MAX_STEPS - 2) :], step))
        return Origin((*self.steps, step))


MAX_STEPS = 6
NOWHERE = Origin()
