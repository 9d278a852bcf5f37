"""Checks a program with all rules and all confidences, and records the devices of the values that it
reveals."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from devlint.model import EVERY_SUBJECT, Finding, SiteId
from devlint.project.modules import Modules
from devlint.rules import registry
from devlint.rules.engine import judge, resolve
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.naming import device_named
from devlint.source.machine.domain.values import (
    DeviceValue,
    External,
    GeneratorValue,
    Known,
    Reference,
    Tensor,
    Union,
    Value,
)
from devlint.source.machine.heap.files import SITES_PER_FILE
from devlint.source.machine.heap.frames import Call, Frame
from devlint.source.machine.heap.objects import Instance
from devlint.source.machine.interprocedural.machine import AbstractMachine
from devlint.source.machine.modules.state import is_module, placement
from devlint.source.machine.operators.accelerator import NO_DEVICES
from devlint.source.module_graph import ModuleGraph
from devlint.source.observation import Observation, observe
from devlint.source.unreadable import UnreadableSource

PROGRAM = "program.py"
REVEAL = "reveal_device"
SAME_CAUSE = "the same cause affects this line"
STYLE = frozenset({"DL401", "DL402", "DL403", "DL407", "DL408", "DL409", "DL410", "DL416", "DL418"})
"""Rules about portability, which would speak nearly everywhere. They are looked at where a file says so."""


@dataclass
class Checked:
    """The findings of a check, by file and line: codes with confidences; and the revealed devices."""

    findings: list[Finding] = field(default_factory=list)
    errors: dict[tuple[str, int], list[str]] = field(default_factory=dict)
    revealed: dict[int, str] = field(default_factory=dict)
    notes: dict[int, str] = field(default_factory=dict)
    """By line of the program, that it has the same cause as a finding, and none of its own."""


class _Probe(AbstractMachine):
    """A machine in which `reveal_device` is a builtin that gives its argument back. Devices are noted where
    there is an accelerator, of the program as it is written."""

    def __init__(self, graph: ModuleGraph) -> None:
        super().__init__(graph, EVERY_SUBJECT)
        self.noted: dict[SiteId, set[str]] = {}

    def builtin(self, name: str, frame: Frame) -> Value:
        return External(REVEAL) if name == REVEAL else super().builtin(name, frame)

    def call(self, callee: Value, call: Call) -> Value:
        if callee != External(REVEAL):
            return super().call(callee, call)
        (argument,) = call.passed
        if not self.world.get(NO_DEVICES) and not self.repaired:
            self.noted.setdefault(argument.site, set()).update(devices_of(argument.value))
        return argument.value


def devices_of(value: Value) -> set[str]:
    """The devices where a value may be, or that it may name, in the wording of findings."""
    match value:
        case Union(alternatives=members):
            return {device for each in members for device in devices_of(each)}
        case Tensor(device=device) | DeviceValue(device=device) | GeneratorValue(device=device):
            return {str(device)}
        case Input(device=device):
            return {str(device)}
        case Reference(target=Instance() as instance) if is_module(instance):
            stands = placement(instance)
            return {"nowhere" if stands is None else str(stands.device)}
        case Known(value=None):
            return {"None"}
        case _:
            named = device_named(value)
            return {"unknown" if named is None else str(named.device)}


def check(
    text: str, files: Sequence[tuple[str, str]], directory: Path, further: Collection[str] = ()
) -> Checked:
    """Check a program and the other files of its project, which are written to a directory."""
    texts = {PROGRAM: text, **dict(files)}
    for name, content in texts.items():
        place = directory / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content, encoding="utf-8")
    graph = ModuleGraph(Modules())
    probe = graph.machine = _Probe(graph)
    rules = [rule for rule in registry.all_rules() if rule.code not in STYLE or rule.code in further]
    checked = Checked()
    for name, content in texts.items():
        try:
            seen = observe(content, str(directory / name), place=graph.place(str(directory / name)))
        except UnreadableSource:
            continue
        checked.findings += resolve(judge(seen.events, rules), seen)
        if name == PROGRAM:
            checked.revealed = _by_line(probe, seen)
    for found in checked.findings:
        name = str(Path(found.site.path).relative_to(directory))
        said = f"{found.code} {found.confidence.value}"
        errors = checked.errors.setdefault((name, found.site.line), [])
        errors.append(said)
        errors.sort()
        for note in found.related:
            if note.message.startswith(SAME_CAUSE) and note.site.path == str(directory / PROGRAM):
                checked.notes[note.site.line] = note.message
    return checked


def _by_line(probe: _Probe, seen: Observation) -> dict[int, str]:
    base = seen.place.graph.base(seen.place.path)
    own = {site: shown for site, shown in probe.noted.items() if base <= site < base + SITES_PER_FILE}
    places = seen.locate(own.keys())
    return {places.site(site).line: " or ".join(sorted(shown)) for site, shown in own.items()}
