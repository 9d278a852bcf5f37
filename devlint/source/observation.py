"""The source observer: text in, events out, with sites resolved only for what a finding names."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TypeVar

import libcst as cst

from devlint.model import EditRequest, Event, SiteId
from devlint.source.flow.program import Program
from devlint.source.locate import Located, locate
from devlint.source.lower import Lowered, lower
from devlint.source.parse import UnreadableSource, parse
from devlint.source.walk import global_names

ProgramT = TypeVar("ProgramT", bound=Program)


@dataclass(frozen=True, slots=True)
class Observation:
    """What was seen in one file."""

    path: str
    text: str
    events: tuple[Event, ...]
    module: cst.Module
    lowered: Lowered

    def locate(self, sites: Collection[SiteId], edits: Collection[EditRequest] = ()) -> Located:
        """Resolve the sites and edits that findings name, in one pass over the syntax tree."""
        return locate(self.module, self.lowered.nodes, self.path, sites, edits, text=self.text)


def observe(text: str, path: str) -> Observation:
    """Parse, lower and interpret one file.

    Raises:
        UnreadableSource: the text is no Python, or nests too deep.
    """
    module = parse(text, path)
    lowered = lower(module, path)
    program = program_for(lowered, text, Program)
    try:
        program.run(lowered.body)
    except RecursionError:
        raise UnreadableSource(path, 1, 1, "code is nested too deep to analyse") from None
    return Observation(path, text, program.events, module, lowered)


def program_for(lowered: Lowered, text: str, kind: type[ProgramT]) -> ProgramT:
    """The interpreter of a file, told what must be known of the text before the first line is interpreted."""
    return kind(
        sets_current_device="set_device(" in text,
        sets_default_device="set_default_device(" in text or "set_default_tensor_type(" in text,
        yields="yield" in text,
        rebound_globals=global_names(lowered.body) if "global " in text else frozenset(),
    )
