"""One call of an observed function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import FrameType
from typing import Any

import torch

from devlint.model import Kind, Operand, SiteId
from devlint.runtime.observer.binding import BoundArguments, bind
from devlint.runtime.observer.functions import ObservedFunction
from devlint.runtime.observer.operands import names, operand
from devlint.runtime.places.expressions import names_in, operand_texts
from devlint.runtime.places.frames import user_frame
from devlint.runtime.places.sites import NOWHERE_SITE, Sites
from devlint.runtime.recording.progress import Progress

_CALL_IMPL = torch.nn.Module._call_impl.__code__
_MODULE_FILE = _CALL_IMPL.co_filename


@dataclass
class ObservedCall:
    """A call, as the observer gets it. Costly facts are computed on demand."""

    row: ObservedFunction
    args: Sequence[Any]
    kwargs: Mapping[str, Any]
    sites: Sites
    progress: Progress
    frame: FrameType | None = field(repr=False)
    """The frame that made the call, which may be torch's own."""
    backward: SiteId | None = None
    """In a backward pass, the place that started it."""

    @cached_property
    def bound(self) -> BoundArguments:
        """The values by argument."""
        return bind(self.row.operator, self.args, self.kwargs)

    @cached_property
    def site(self) -> SiteId:
        """The program's own line. A thread of torch's may have none; then it is the line that started the
        backward pass."""
        site = self.sites.at(user_frame(self.frame))
        return self.backward if site == NOWHERE_SITE and self.backward is not None else site

    @property
    def name(self) -> str:
        """The operator's canonical name."""
        return self.row.operator.name

    @cached_property
    def direct(self) -> bool:
        """Whether the program's own line makes this call itself."""
        return self.frame is not None and user_frame(self.frame) is self.frame

    @cached_property
    def called(self) -> dict[str, str]:
        """The program's names of the arguments."""
        return names(self.bound, self.sites.text(self.site)) if self.direct else {}

    def operand(self, place: str, tensor: torch.Tensor) -> Operand:
        """A tensor of the call, with the program's name for it."""
        argument = place.partition("[")[0]
        path = self.called.get(argument, "")
        if self._moves_module:
            return replace(operand(tensor, self._module(), place, self.site), kind=Kind.MODULE)
        called = path + place[len(argument) :] if path else self._variable(tensor)
        return operand(tensor, called, place, self.site)

    @cached_property
    def _moves_module(self) -> bool:
        """Whether the call moves one tensor of a module that is moved."""
        frame = self.frame
        return self.row.moves and frame is not None and frame.f_code.co_filename == _MODULE_FILE

    def _module(self) -> str:
        """The program's name of the module that is moved: `model` in `model.to(device)`."""
        written = operand_texts(self.sites.text(self.site), self.name)
        return written[0] if written else "module"

    def _variable(self, tensor: torch.Tensor) -> str:
        """The variable in the program's line that holds a tensor: `x` in `print("x:", x)`."""
        frame = user_frame(self.frame)
        written = names_in(self.sites.text(self.site)) if frame is not None else ()
        if frame is None or not written:
            return ""
        variables = frame.f_locals
        return next((name for name in written if variables.get(name) is tensor), "")

    def in_forward(self) -> bool:
        """Whether the call happens inside the forward of a module."""
        frame = self.frame
        while frame is not None:
            if frame.f_code is _CALL_IMPL:
                return True
            frame = frame.f_back
        return False
