"""The observed events, kept until the end of a run, when the hot loops and the nature of inputs are known."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

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
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.lattice import least_sure, surer
from devlint.source.machine.domain.loops import (
    REPEATING,
    Loop,
    enclosing,
    hot_path,
    is_periodic,
)
from devlint.source.machine.domain.queries import DeviceQuery
from devlint.source.machine.domain.values import changed
from devlint.source.machine.reporting.occurrences import (
    Occurrence,
    concerns_argument,
    confidence_of,
    hot_path_of,
    is_shown,
    is_where_arguments_are,
    silence_of,
)


@dataclass(slots=True)
class ExecutionContext:
    """The state of execution when an event happens."""

    loop: Loop | None = None
    periodic: bool = False
    """In a branch that is taken in some turns of a loop only."""
    rare: bool = False
    """In a branch that ends the program with an error."""
    added: bool = False
    """In a branch that an option adds to what the program does without it."""
    expected: bool = False
    """In a block that a test expects to raise."""
    chain: tuple[SiteId, ...] = ()
    """The calls that lead here, the outermost first."""
    hypothesis: str = ""
    """The qualified name of the function that a hypothesis calls, because nothing in the project does."""
    mismatches_only: bool = False
    """Whether the function is tried again, because its inputs are likely to be on an accelerator. Whether its
    loops are hot is not better known."""

    kept: int = 0
    """Set while a method of an object that is no module is tried: tensors with lower numbers were created
    before, such as the parameters of modules that the object holds."""

    @property
    def calls(self) -> tuple[SiteId, ...]:
        """The calls of the program that lead here; the call of a hypothesis has no place in it."""
        return self.chain[1:] if self.hypothesis else self.chain


class EventPath(NamedTuple):
    """The path to an event."""

    calls: tuple[SiteId, ...] = ()
    """The calls to the place where it was first observed, the outermost first."""
    hypotheses: frozenset[str] = frozenset()
    """The functions one of which has to be called as assumed; none if the program itself shows it."""
    loops: frozenset[SiteId] = frozenset()
    """The hot loops around it."""
    added: bool = False
    """Whether an option adds it to what the program does without it."""
    of_arguments: bool = False
    """Whether it rests on where the tensors lie that a hypothesis gives to a function."""


_Place: TypeAlias = tuple[Loop | None, str, tuple[Input, ...]]
"""A loop, a hypothesis, and the inputs on which an event depends."""


class EventLog:
    """The events of a run, each once for each meaning."""

    def __init__(self) -> None:
        self._entries: dict[Event, dict[_Place, Occurrence]] = {}
        self._refuted: set[SiteId] = set()
        self._dropped: dict[tuple[int, Device], SiteId] = {}
        self._affected: defaultdict[SiteId, set[SiteId]] = defaultdict(set)
        """The operations that mix devices because of a dropped move, by the move's site."""
        self._withheld: dict[tuple[Event, Silence], Loop | None] = {}
        self._loops: set[SiteId] = set()
        self._repeating: set[str] = set()
        """The hypotheses whose functions are themselves what repeats other code."""
        self._queried: set[str] = set()
        """The hypotheses in which the program asked for the device of an input."""
        self._discarded: set[str] = set()
        self._handed_on: defaultdict[str, set[str]] = defaultdict(set)
        """The hypotheses to whose code a hypothesis hands on its inputs as they are."""
        self._mixed: defaultdict[str, list[Occurrence]] = defaultdict(list)
        """The operations whose operands may conflict, by hypothesis."""

    def enter(self, loop: Loop) -> None:
        """Record that the program runs a loop when it is started without options."""
        self._loops.add(loop.site)

    def leave(self, loop: Loop, hypothesis: str) -> None:
        """Record the end of a loop that a function runs under a hypothesis. If it trains, draws batches or
        generates, the function is not what others repeat."""
        if loop.hot in REPEATING:
            self._repeating.add(hypothesis)

    def adds_loop(self, trace: EventPath) -> bool:
        """Whether an event is on a hot path because of loops that the program runs only with certain
        options."""
        return bool(trace.loops) and self._loops.isdisjoint(trace.loops)

    def add(
        self,
        event: Event,
        execution: ExecutionContext,
        inputs: tuple[Input, ...] = (),
        placed: tuple[Input, ...] = (),
    ) -> Occurrence | None:
        """Record an event in the present state. It depends on the inputs being tensors, and on some of them
        being on the assumed device."""
        if execution.expected:
            self.withhold(event, Silence.EXPECTED_ERROR, execution)
            return None
        see(event, execution.loop)
        if isinstance(event, DeviceQuery):
            self._queried.add(execution.hypothesis)
        if execution.mismatches_only and not isinstance(event, Operation):
            return _occurrence(event, execution, inputs, placed)
        entries = self._entries.setdefault(event, {})
        at = (execution.loop, execution.hypothesis, inputs)
        entry = entries.get(at)
        if entry is not None:
            entry.periodic = entry.periodic and execution.periodic
            entry.rare = entry.rare and execution.rare
            entry.added = entry.added and execution.added
            return entry
        entries[at] = made = _occurrence(event, execution, inputs, placed)
        if isinstance(event, Operation):
            self._mixed[execution.hypothesis].append(made)
        return made

    def refute(self, site: SiteId) -> None:
        """Record that a move moves something in some call, that a comparison there compares strings, or that
        a time span contains a wait in all turns of a loop but the first one."""
        self._refuted.add(site)

    def drop(self, serial: int, target: Device, move: SiteId) -> None:
        """Record that the copy of a tensor on a device was dropped, so that the tensor stays where it was."""
        self._dropped[serial, target] = move

    def dropped_move(self, serial: int, target: Device) -> SiteId | None:
        """The move whose result, the copy of a tensor on that device, was dropped; None if there is none."""
        return self._dropped.get((serial, target))

    def withhold_affected(
        self, event: Operation, moves: Iterable[SiteId], execution: ExecutionContext
    ) -> None:
        """Record a mismatch that is caused by dropped moves; the moves are reported, with its site."""
        if not execution.expected:
            for move in moves:
                self._affected[move].add(event.site)
        self.withhold(event, Silence.DROPPED_MOVE, execution)

    def withhold(self, event: Event, silence: Silence, execution: ExecutionContext) -> None:
        """Record an event that is withheld, with the reason."""
        see(event, execution.loop)
        self._withheld.setdefault((event, silence), execution.loop)

    @property
    def works_on_devices(self) -> bool:
        """Whether the program itself, without hypotheses, copies to a device or waits for one."""
        return any(
            isinstance(event, (Transfer, Synchronization))
            and not all(each.hypothesis for each in entries.values())
            for event, entries in self._entries.items()
        )

    @property
    def supposes(self) -> bool:
        """Whether anything was observed under a hypothesis."""
        return any(
            each.hypothesis
            for event, entries in self._entries.items()
            for each in entries.values()
            if not isinstance(event, DeviceQuery)
        )

    def expects_any_device(self, hypothesis: str) -> bool:
        """Whether the code that a hypothesis calls asks for the device of its inputs."""
        return hypothesis in self._queried

    def discard(self, hypothesis: str) -> None:
        """Do not report what is observed under a hypothesis: the program itself makes such calls."""
        self._discarded.add(hypothesis)

    def hand_on(self, hypothesis: str, other: str) -> None:
        """Record that the inputs of a hypothesis are handed on to the code of another one, which may ask for
        their device, and may mix devices."""
        if other != hypothesis:
            self._handed_on[hypothesis].add(other)
        if other in self._queried:
            self._queried.add(hypothesis)

    def doubts_mixture(self, hypothesis: str) -> bool:
        """Whether a hypothesis may show a mixture of devices that is only possible, though its inputs are
        shown to be tensors. It can become as certain as the devices of the inputs."""
        return any(
            each.event.confidence is Confidence.POSSIBLE and is_shown(each)
            for name in (hypothesis, *self._handed_on[hypothesis])
            for each in self._mixed[name]
        )

    def seen(self, optional: EventLog | None = None) -> dict[Event, EventPath]:
        """The events with their hot paths and confidences, and the paths to them.

        `optional` is the log of the runs with other options: where one of these moves a tensor, the move is
        not said to do nothing.

        An event that the program itself shows does not depend on hypotheses that show it too. An event that
        only a hypothesis shows, such as one on a hot path, is a separate event.
        """
        found: dict[Event, EventPath] = {}
        for event, entries in self._entries.items():
            if isinstance(event, DeviceQuery):
                continue
            if event.site in self._refuted and _may_be_refuted(event):
                continue
            is_idle = isinstance(event, Move) and event.is_idle
            if is_idle and optional is not None and event.site in optional._refuted:
                continue
            by_hypothesis: defaultdict[str, list[Occurrence]] = defaultdict(list)
            for entry in sorted(entries.values(), key=lambda entry: bool(entry.hypothesis)):
                by_hypothesis[entry.hypothesis].append(entry)
            for hypothesis, each in by_hypothesis.items():
                if hypothesis in self._discarded:
                    continue
                settled = _settled(each, asks_for_device=hypothesis in self._queried)
                may_be_called = hypothesis not in self._repeating
                if settled is not None and may_be_called and _may_be_repeated(settled, each):
                    settled = changed(settled, hot=HotPath.CALLED)
                if isinstance(settled, Move) and settled.site in self._affected:
                    settled = changed(settled, affects=tuple(sorted(self._affected[settled.site])))
                if settled is not None:
                    _trace(found, settled, each, hypothesis)
        return found

    def silenced(self) -> Iterator[Silenced]:
        """The withheld events, with the reasons."""
        for (event, silence), loop in self._withheld.items():
            yield Silenced(changed(event, hot=hot_path(loop)), silence)
        for places in self._entries.values():
            entries = list(places.values())
            cold = all(hot_path_of(entry) is None for entry in entries)
            if cold and isinstance(entries[0].event, (Synchronization, Transfer)):
                for entry in entries:
                    reason = silence_of(entry)
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
        execution.added,
        inputs,
        placed,
        execution.calls,
        execution.hypothesis,
    )


def see(event: Event, loop: Loop | None) -> None:
    """Record the turn of a loop in which an event happens."""
    if loop is not None:
        loop.turn.happened.add(((type(event), event.site), loop.turn.statement))
        if isinstance(event, Transfer):
            again = event.repeated or event.loop_invariant or loop.turn.copied.get(event.site, False)
            loop.turn.copied[event.site] = again


def _may_be_refuted(event: Event) -> bool:
    """Whether an event says that a move, or a comparison with a string that names no device, has no effect,
    or that nothing waits while a time span is measured: that may differ in another call or turn."""
    match event:
        case Move():
            return event.is_idle
        case Setting(kind=SettingKind.DEVICE_COMPARISON, value=value):
            return parse_device(value) is None
        case Setting(kind=SettingKind.UNSYNCHRONIZED_TIMING):
            return True
        case _:
            return False


def _trace(found: dict[Event, EventPath], event: Event, entries: list[Occurrence], hypothesis: str) -> None:
    known = found.get(event)
    if known is None:
        loops = frozenset(
            each.site for entry in entries for each in enclosing(entry.loop) if each.hot is not None
        )
        supposed = frozenset({hypothesis} if hypothesis else ())
        added = all(each.added for each in entries)
        of_arguments = bool(hypothesis) and is_where_arguments_are(event)
        found[event] = EventPath(entries[0].calls, supposed, loops, added, of_arguments)
    elif known.hypotheses:
        found[event] = known._replace(hypotheses=known.hypotheses | {hypothesis})


def _settled(entries: list[Occurrence], *, asks_for_device: bool) -> Event | None:
    """Combines the occurrences of an event: on a hot path if one of them is, and as certain as the most
    certain one."""
    best: tuple[HotPath | None, Confidence] | None = None
    for entry in entries:
        confidence = confidence_of(entry, asks_for_device=asks_for_device)
        if confidence is None:
            continue
        hot = hot_path_of(entry)
        if hot is not None and entry.hypothesis:  # no program shows that the path is hot
            confidence = least_sure(confidence, Confidence.LIKELY)
        if best is None:
            best = (hot, confidence)
        elif (hot is None) == (best[0] is None):
            best = (best[0] or hot, surer(best[1], confidence))
        elif hot is not None:
            best = (hot, confidence)
    event = entries[0].event
    if isinstance(event, Transfer) and not any(_recurs(each, event) for each in entries):
        event = changed(event, loop_invariant=False, repeated=False)
    return None if best is None else changed(event, hot=best[0], confidence=best[1])


def _may_be_repeated(event: Event, entries: list[Occurrence]) -> bool:
    """Whether the callers of a function may repeat a wait or an upload, which each call of it makes for an
    argument."""
    if not isinstance(event, (Synchronization, Transfer)) or event.hot is not None:
        return False
    return any(
        entry.hypothesis
        and concerns_argument(entry)
        and is_shown(entry)
        and not (entry.periodic or entry.rare or is_periodic(entry.loop))
        for entry in entries
    )


def _recurs(entry: Occurrence, event: Transfer) -> bool:
    """Whether a loop of many turns copies the same values in each one, or the callers of a function do."""
    loops = [*enclosing(entry.loop)]
    if any(event.site in each.renewed for each in loops):
        return False
    if event.optimized and any(each.trained or each.hot_inside for each in loops):
        return False
    return any(each.whole is not None or not each.is_short for each in loops)
