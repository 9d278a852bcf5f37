"""What was seen, kept until the run is over: only then it is known which loops are hot, what inputs are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from devlint.model import (
    Confidence,
    Device,
    Event,
    HotPath,
    Move,
    Operation,
    Setting,
    SettingKind,
    Silence,
    Silenced,
    SiteId,
    Synchronization,
    Transfer,
    parse_device,
)
from devlint.source.machine.domain.lattice import least_sure, surer
from devlint.source.machine.domain.loops import Loop, enclosing, hot_path, is_periodic, recurring
from devlint.source.machine.domain.queries import DeviceQuery
from devlint.source.machine.domain.values import Input, changed


@dataclass(slots=True)
class ExecutionContext:
    """Where the machine is when something happens."""

    loop: Loop | None = None
    periodic: bool = False
    """In a branch that is taken every so many turns."""
    rare: bool = False
    """In a branch that ends the program with an error."""
    expected: bool = False
    """Where a test expects an error."""
    chain: tuple[SiteId, ...] = ()
    """The calls that lead here, the outermost first."""
    hypothesis: str = ""
    """The qualified name of the function that is tried, where no program at hand calls it."""
    mismatches_only: bool = False
    """Where a function is tried once more, as its inputs are likely to lie on an accelerator. Whether its
    loops are hot is not known any better."""

    kept: int = 0
    """Where a method of an object is tried that is no module: tensors with lower numbers were made before,
    among them the parameters of modules that the object keeps."""

    @property
    def calls(self) -> tuple[SiteId, ...]:
        """The calls of the program that lead here: that of a hypothesis stands nowhere."""
        return self.chain[1:] if self.hypothesis else self.chain


class EventPath(NamedTuple):
    """What led to an event."""

    calls: tuple[SiteId, ...] = ()
    """The calls on the way where it was first seen, the outermost first."""
    hypotheses: frozenset[str] = frozenset()
    """The functions one of which has to be called as was supposed; none where the program itself shows it."""
    loops: frozenset[SiteId] = frozenset()
    """The hot loops around it."""


@dataclass(slots=True, eq=False)
class Occurrence:
    """An event in its surroundings."""

    event: Event
    loop: Loop | None
    periodic: bool
    rare: bool
    inputs: tuple[Input, ...]
    placed: tuple[Input, ...]
    calls: tuple[SiteId, ...]
    hypothesis: str


class EventLog:
    """Events of one run, each once for each meaning."""

    def __init__(self) -> None:
        self._entries: dict[Event, list[Occurrence]] = {}
        self._refuted: set[SiteId] = set()
        self._dropped: dict[tuple[int, Device], SiteId] = {}
        self._affected: defaultdict[SiteId, set[SiteId]] = defaultdict(set)
        """By the site of a dropped move, the operations that mix devices because of it."""
        self._withheld: dict[tuple[Event, Silence], Loop | None] = {}
        self._loops: set[SiteId] = set()
        self._queried: set[str] = set()
        """The hypotheses in which a device of an input was asked for."""
        self._mixed: defaultdict[str, list[Occurrence]] = defaultdict(list)
        """The operations whose operands may be in conflict, by the hypothesis in which they were seen."""

    def enter(self, loop: Loop) -> None:
        """Note that the program runs a loop, started without options."""
        self._loops.add(loop.site)

    def adds_loop(self, trace: EventPath) -> bool:
        """Whether something is on a hot path by loops to which the program comes with options only."""
        return bool(trace.loops) and self._loops.isdisjoint(trace.loops)

    def add(
        self,
        event: Event,
        execution: ExecutionContext,
        inputs: tuple[Input, ...] = (),
        placed: tuple[Input, ...] = (),
    ) -> Occurrence | None:
        """Note an event, seen in these surroundings. It rests on the inputs being tensors, and on some of
        them lying where they are supposed to."""
        if execution.expected:
            self.withhold(event, Silence.EXPECTED_ERROR, execution)
            return None
        see(event, execution.loop)
        if isinstance(event, DeviceQuery):
            self._queried.add(execution.hypothesis)
        if execution.mismatches_only and not isinstance(event, Operation):
            return _occurrence(event, execution, inputs, placed)
        entries = self._entries.setdefault(event, [])
        for entry in entries:
            same = entry.loop is execution.loop and entry.hypothesis == execution.hypothesis
            if same and entry.inputs == inputs:
                entry.periodic = entry.periodic and execution.periodic
                entry.rare = entry.rare and execution.rare
                return entry
        made = _occurrence(event, execution, inputs, placed)
        entries.append(made)
        if isinstance(event, Operation):
            self._mixed[execution.hypothesis].append(made)
        return made

    def refute(self, site: SiteId) -> None:
        """Note that a move at a place does move something, if not each time, or that a string is compared
        there with a string."""
        self._refuted.add(site)

    def drop(self, serial: int, target: Device, move: SiteId) -> None:
        """Note that a tensor's copy on a device was dropped, so that the tensor is where it was."""
        self._dropped[serial, target] = move

    def dropped_move(self, serial: int, target: Device) -> SiteId | None:
        """The move whose result, a tensor's copy on that device, was dropped; None if there is none."""
        return self._dropped.get((serial, target))

    def withhold_affected(
        self, event: Operation, moves: Iterable[SiteId], execution: ExecutionContext
    ) -> None:
        """Note a mismatch that follows from dropped moves: these are reported, with its place."""
        if not execution.expected:
            for move in moves:
                self._affected[move].add(event.site)
        self.withhold(event, Silence.DROPPED_MOVE, execution)

    def withhold(self, event: Event, silence: Silence, execution: ExecutionContext) -> None:
        """Note an event that is not to be reported, and why."""
        see(event, execution.loop)
        self._withheld.setdefault((event, silence), execution.loop)

    @property
    def works_on_devices(self) -> bool:
        """Whether the program itself copies anything to a device, or waits for one."""
        return any(
            isinstance(event, (Transfer, Synchronization)) and not all(each.hypothesis for each in entries)
            for event, entries in self._entries.items()
        )

    @property
    def supposes(self) -> bool:
        """Whether something was seen where a hypothesis was tried."""
        return any(
            each.hypothesis
            for event, entries in self._entries.items()
            for each in entries
            if not isinstance(event, DeviceQuery)
        )

    def expects_any_device(self, hypothesis: str) -> bool:
        """Whether a hypothesis calls code that reads the device of its inputs."""
        return hypothesis in self._queried

    def doubts_mixture(self, hypothesis: str) -> bool:
        """Whether what a hypothesis calls may mix devices, which is only possible, though it shows the inputs
        on which that rests to be tensors: it may be as sure as it is where they lie."""
        return any(
            each.event.confidence is Confidence.POSSIBLE and _is_shown(each)
            for each in self._mixed[hypothesis]
        )

    def seen(self) -> dict[Event, EventPath]:
        """The events with their hot paths and confidences, and what led to them.

        What the program itself shows does not rest on hypotheses that show it too. What one of these shows
        beyond that, a hot path say, is an event of its own.
        """
        found: dict[Event, EventPath] = {}
        for event, entries in self._entries.items():
            if isinstance(event, DeviceQuery):
                continue
            if event.site in self._refuted and _may_be_refuted(event):
                continue
            by_hypothesis: defaultdict[str, list[Occurrence]] = defaultdict(list)
            for entry in sorted(entries, key=lambda entry: bool(entry.hypothesis)):
                by_hypothesis[entry.hypothesis].append(entry)
            for hypothesis, each in by_hypothesis.items():
                settled = _settled(each)
                if isinstance(settled, Move) and settled.site in self._affected:
                    settled = changed(settled, affects=tuple(sorted(self._affected[settled.site])))
                if settled is not None:
                    _trace(found, settled, each, hypothesis)
        return found

    def silenced(self) -> Iterator[Silenced]:
        """What is not reported though it happens, and why."""
        for (event, silence), loop in self._withheld.items():
            yield Silenced(changed(event, hot=hot_path(loop)), silence)
        for entries in self._entries.values():
            cold = all(_hot(entry) is None for entry in entries)
            if cold and isinstance(entries[0].event, (Synchronization, Transfer)):
                for entry in entries:
                    reason = _silence(entry)
                    if reason is not None:
                        hot = hot_path(entry.loop) or HotPath.RECURRING
                        yield Silenced(changed(entry.event, hot=hot), reason)
                        break


def _occurrence(
    event: Event, execution: ExecutionContext, inputs: tuple[Input, ...], placed: tuple[Input, ...]
) -> Occurrence:
    return Occurrence(
        event,
        execution.loop,
        execution.periodic,
        execution.rare,
        inputs,
        placed,
        execution.calls,
        execution.hypothesis,
    )


def see(event: Event, loop: Loop | None) -> None:
    """Note in which turn of a loop something happens."""
    if loop is not None:
        loop.turn.happened.add(((type(event), event.site), loop.turn.statement))


def _may_be_refuted(event: Event) -> bool:
    """Whether an event says that a move, or a comparison with a word that names no device, is of no use: it
    may be of use in another call."""
    match event:
        case Move(source=source, target=target):
            return source == target
        case Setting(kind=SettingKind.DEVICE_COMPARISON, value=value):
            return parse_device(value) is None
        case _:
            return False


def _trace(found: dict[Event, EventPath], event: Event, entries: list[Occurrence], hypothesis: str) -> None:
    known = found.get(event)
    if known is None:
        loops = frozenset(
            each.site for entry in entries for each in enclosing(entry.loop) if each.hot is not None
        )
        found[event] = EventPath(entries[0].calls, frozenset({hypothesis} if hypothesis else ()), loops)
    elif known.hypotheses:
        found[event] = known._replace(hypotheses=known.hypotheses | {hypothesis})


def _settled(entries: list[Occurrence]) -> Event | None:
    """The event once: on a hot path if one of its occurrences is, and as sure as the surest of these."""
    best: tuple[HotPath | None, Confidence] | None = None
    for entry in entries:
        confidence = _confidence(entry)
        if confidence is None:
            continue
        hot = _hot(entry)
        if best is None:
            best = (hot, confidence)
        elif (hot is None) == (best[0] is None):
            best = (best[0] or hot, surer(best[1], confidence))
        elif hot is not None:
            best = (hot, confidence)
    return None if best is None else changed(entries[0].event, hot=best[0], confidence=best[1])


def _hot(entry: Occurrence) -> HotPath | None:
    return None if entry.periodic or entry.rare else hot_path(_recurring(entry))


def _recurring(entry: Occurrence) -> Loop | None:
    """The loop in whose turns an event happens, and not in the first one only."""
    return recurring(entry.loop, (type(entry.event), entry.event.site))


def _confidence(entry: Occurrence) -> Confidence | None:
    """How sure an event is; None if it rests on an input that is no tensor."""
    if any(each.refuted for each in entry.inputs):
        return None
    shown = _is_shown(entry)
    return entry.event.confidence if shown else least_sure(entry.event.confidence, Confidence.POSSIBLE)


def _is_shown(entry: Occurrence) -> bool:
    """Whether the inputs on which an event rests are shown to be tensors, and none is moved."""
    return all(each.evident for each in entry.inputs) and not any(each.moved for each in entry.placed)


def _silence(entry: Occurrence) -> Silence | None:
    if entry.periodic or is_periodic(entry.loop):
        return Silence.PERIODIC
    if hot_path(_recurring(entry)) is None:
        return Silence.ONCE if entry.loop is not None else None
    return Silence.RARE_BRANCH
