"""Interprets a program and keeps what it reveals: the values given to `reveal_…`, and the events by line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from libcst.metadata import MetadataWrapper, PositionProvider

from devlint.model import EVERY_SUBJECT, SiteId
from devlint.project.modules import Modules
from devlint.source import ir
from devlint.source.flow.program import Program
from devlint.source.flow.state.frame import Frame, Passed
from devlint.source.flow.state.values import FunctionValue, Value
from devlint.source.library import Library
from devlint.source.lower import lower
from devlint.source.parse import parse
from tests.source.flow.wording import REVEALERS, EventText, describe


@dataclass
class Revealed:
    """What was found out about a program, by line. A line that no path reaches reveals nothing."""

    values: dict[int, str] = field(default_factory=dict)
    events: dict[int, list[EventText]] = field(default_factory=dict)


class _Probe(Program):
    """A program in which `reveal_device` and its like are functions of the file that note their argument."""

    def __init__(self, path: str, **known: Any) -> None:
        super().__init__(path, **known)
        self.noted: dict[SiteId, str] = {}
        for position, name in enumerate(REVEALERS):
            site = SiteId(-1 - position)
            function = ir.Function(site, name, (), (), None, ())
            self.globals.bind(name, FunctionValue(function, site, name))

    def call_function(
        self,
        frame: Frame,
        site: SiteId,
        callee: FunctionValue,
        passed: Sequence[Passed],
        receiver: Value | None,
    ) -> Value:
        """Notes what a revealing function is given; the last turn of a loop knows best."""
        if callee.identity >= 0:
            return super().call_function(frame, site, callee, passed, receiver)
        (argument,) = passed
        self.noted[argument.expression.id] = REVEALERS[callee.qualname](argument.value)
        return argument.value


def reveal(text: str, files: Sequence[tuple[str, str]], directory: Path) -> Revealed:
    """Interpret a program, beside the other files of its project in a directory."""
    for path, content in files:
        place = directory / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content, encoding="utf-8")
    module = parse(text, "case.py")
    lowered = lower(module, "case.py")
    library = Library(Modules())
    library.want(EVERY_SUBJECT)
    probe = library.program(str(directory / "case.py"), lowered.body, text, _Probe)
    probe.run(lowered.body)
    positions = MetadataWrapper(module, unsafe_skip_copy=True).resolve(PositionProvider)

    def line(site: SiteId) -> int:
        return int(positions[lowered.nodes[site]].start.line)

    revealed = Revealed(values={line(site): shown for site, shown in probe.noted.items()})
    for event in probe.events:
        revealed.events.setdefault(line(event.site), []).append(describe(event))
    return revealed
