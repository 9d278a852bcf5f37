"""What has been seen in the functions of a file, kept by function until it is known to count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from devlint.model import (
    UNKNOWN,
    Certainty,
    Device,
    Event,
    HotPath,
    Kind,
    Move,
    Operation,
    Setting,
    SettingKind,
    SiteId,
    Synchronization,
    Transfer,
    is_accelerator,
)
from devlint.source import ir
from devlint.source.flow.evidence.given import (
    is_from_outside,
    is_given,
    is_of_new_state,
    is_on_given,
    is_on_host,
    is_placed_by_others,
    is_read_as_array,
    is_within_new_module,
    lies_anywhere,
    lies_on_host,
    lies_where_host_code_does,
)
from devlint.source.flow.evidence.purposes import Purpose
from devlint.source.flow.functions.callgraph import Call, CallGraph
from devlint.source.flow.modules.constructions import as_given, given_from_host
from devlint.source.flow.modules.instances import own_field
from devlint.source.flow.operators.operations import DEFAULT_DEVICE
from devlint.source.flow.patterns.assumptions import are_apart, is_drawn, rests_on_assumption
from devlint.source.flow.state.frame import Frame, Passed
from devlint.source.flow.state.values import Instance, Tensor, Value


def means_something(event: Event, frame: Frame, purpose: Purpose) -> bool:
    """Whether what was seen is worth writing down, by what its function and its file are for."""
    if frame.is_export or purpose.export or (purpose.tests and _is_about_speed(event)):
        return False
    if not isinstance(event, Operation):
        return not frame.is_test
    if (purpose.tests or purpose.host) and is_placed_by_others(event):
        return False
    return not (is_from_outside(event) and lies_where_host_code_does(event, frame))


def _is_about_speed(event: Event) -> bool:
    """Whether all that could be wrong is the time that it takes, which nobody minds in a test."""
    return isinstance(event, Synchronization | Transfer) or (isinstance(event, Move) and event.kept)


def needs_torch(event: Event) -> bool:
    """Whether an event means something only if the tensors are torch's: where operands lie, that a move gives
    something new, and what a device equals."""
    match event:
        case Operation():
            return True
        case Move(kept=kept):
            return not kept
        case Setting(kind=kind):
            return kind in (SettingKind.DEVICE_COMPARISON, SettingKind.ORDINAL_COMPARISON)
        case _:
            return False


class Seen(NamedTuple):
    """Where something was seen."""

    function: int
    cold: bool
    """Whether it was in a part seldom reached."""
    assumed: bool = False
    """Whether it counts only if what came in from outside may lie on an accelerator."""


def seen(event: Event, frame: Frame) -> Seen:
    """Where an event was seen."""
    assumed = isinstance(event, Operation) and rests_on_assumption(event, frame)
    return Seen(frame.identity, frame.cold, assumed)


@dataclass(frozen=True, slots=True)
class Withheld:
    """An operation on what a function is given, in which its callers have a say."""

    operation: Operation
    seen: Seen
    owner: int
    """The function whose parameters they are: this one, or one around it."""
    is_private: bool
    tensors: frozenset[str]
    """The parameters that are stated or shown to be tensors."""
    given: frozenset[str]
    """The parameters that it is on, or the fields of a dataclass whose methods are at work."""


def withheld(operation: Operation, frame: Frame) -> Withheld:
    """An operation as it is kept until all callers are known."""
    owner = frame
    given = _given_to(operation)
    while owner.enclosing is not None and owner.parameters.isdisjoint(given):
        owner = owner.enclosing
    if owner.parameters.isdisjoint(given):
        owner = frame
    tensors = frozenset(name for name, kind in owner.evidence.kinds.items() if kind is Kind.TENSOR)
    return Withheld(operation, seen(operation, frame), owner.identity, owner.is_private, tensors, given)


def withheld_by_record(operation: Operation, frame: Frame) -> Withheld | None:
    """An operation of a dataclass on fields of its own, as it is kept until all that make one are known."""
    if frame.info is None or not frame.info.is_record:
        return None
    fields = (own_field(operand.device) for operand in operation.operands)
    given = frozenset(field for field in fields if field in frame.info.stated)
    if not given:
        return None
    return Withheld(operation, seen(operation, frame), frame.info.node.id, False, frozenset(), given)


def _given_to(operation: Operation) -> frozenset[str]:
    """The parameters whose tensors an operation is on, or those of what they hold."""
    return frozenset(o.device.name.partition(".")[0] for o in operation.operands if is_given(o.device))


@dataclass(slots=True)
class Notes:
    """What was seen in one activation, or in all of a file's."""

    events: dict[Event, Seen] = field(default_factory=dict)
    calls: dict[Call, None] = field(default_factory=dict)
    withheld: dict[Withheld, None] = field(default_factory=dict)
    unplaced: set[tuple[int, str]] = field(default_factory=set)
    """Parameters for which a caller has passed something that lies nobody knows where."""
    given_elsewhere: set[tuple[int, str]] = field(default_factory=set)
    """Parameters for which a caller has passed something that is not known to lie on the host."""

    computing: set[int] = field(default_factory=set)
    """The functions that compute where their tensors are."""
    placing: set[int] = field(default_factory=set)
    """The functions that make some of their tensors where they want them."""
    given: dict[SiteId, Value] = field(default_factory=dict)
    """What lies on the host and is given to a constructor, by its parameter."""
    default_devices: set[Device] = field(default_factory=set)
    """What functions have made torch's default device."""

    def note_event(self, event: Event, frame: Frame) -> None:
        """Write down what was seen, once; what the callers have a say in, until they are known."""
        if isinstance(event, Operation) and is_on_given(event) and not frame.is_public_forward:
            self.withheld.setdefault(withheld(event, frame))
        elif isinstance(event, Operation) and (kept := withheld_by_record(event, frame)) is not None:
            self.withheld.setdefault(kept)
        else:
            self.events.setdefault(event, seen(event, frame))

    def note_call(self, frame: Frame, function: int, arguments: Mapping[str, Passed]) -> None:
        """Write down who calls a function, and where what it is given lies."""
        self.calls.setdefault(Call(frame.identity, function, frame.hot is not None, frame.cold))
        self.unplaced.update(
            (function, name) for name, each in arguments.items() if lies_anywhere(each.value)
        )
        self.given_elsewhere.update(
            (function, name)
            for name, argument in arguments.items()
            if frame.is_trial or not (lies_on_host(argument.value) or is_read_as_array(argument.value, frame))
        )

    def note_record(self, made: Instance, frame: Frame) -> None:
        """Write down where the fields of a dataclass lie. A copy of an object's own says nothing new."""
        record = made.info.node.id
        self.calls.setdefault(Call(frame.identity, record, frame.hot is not None, frame.cold))
        self.given_elsewhere.update(
            (record, name)
            for name, value in made.fields
            if not lies_on_host(value)
            and not (frame.info is made.info and isinstance(value, Tensor) and own_field(value.device))
        )

    def note_construction(self, constructor: ir.Function, passed: Sequence[Passed]) -> None:
        """Write down what lies on the host of what a constructor is given."""
        for parameter, value in given_from_host(constructor, passed):
            self.given.setdefault(parameter, value)

    def add(self, more: Notes) -> None:
        """Take in what was seen elsewhere in the file; what was seen before keeps its place."""
        for event, where in more.events.items():
            self.events.setdefault(event, where)
        self.calls |= more.calls
        self.withheld |= more.withheld
        self.unplaced |= more.unplaced
        self.given_elsewhere |= more.given_elsewhere
        self.computing |= more.computing
        self.placing |= more.placing
        self.default_devices |= more.default_devices
        for parameter, value in more.given.items():
            self.given.setdefault(parameter, value)

    def settled(
        self,
        calls: CallGraph,
        virtual: CallGraph,
        constructors: frozenset[int],
        builders: frozenset[int],
        host_names: frozenset[str],
    ) -> tuple[Event, ...]:
        """The events that count when all callers in the file are known, in the order in which they were first
        seen. `virtual` has those of overriding methods besides. `builders` are the constructors of modules,
        and `host_names` parameters that are given to what takes host tensors only."""
        hot_functions = virtual.only_from_hot_paths()
        events = dict(self.events)
        for each in self.withheld:
            if not calls.is_called(each.owner) or self._is_left_open(each):
                events.setdefault(each.operation, each.seen)
        for event, where in list(events.items()):
            for met in (*as_given(event, self.given), *_by_default(event, self.default_devices)):
                events.setdefault(met, where)
        construction, building = virtual.only_from(constructors), virtual.only_from(builders)
        on_devices = virtual.reached_from_hot_paths(self.computing)
        rests = _assumptions(events, on_devices)
        return tuple(
            _placed(
                event,
                hot=not where.cold and where.function in hot_functions,
                constructing=where.function in construction,
                assumed=isinstance(event, Operation) and rests(event, where),
            )
            for event, where in events.items()
            if not is_on_host(event, host_names)
            and not (
                where.function in building and where.function not in self.placing and is_of_new_state(event)
            )
            and not (
                where.function in construction
                and is_within_new_module(event, called=where.function not in constructors)
            )
        )

    def _is_left_open(self, withheld: Withheld) -> bool:
        """Whether the calls in the file leave open where the tensors are that a function works on.

        A public function may have callers in other files as well; that all of those in its own give it host
        tensors shows what it is for. A private one has to take tensors, by what it states or does, and no
        caller may show where they are.
        """
        given, owner = withheld.given, withheld.owner
        if not withheld.is_private:
            return any((owner, name) in self.given_elsewhere for name in given)
        return given <= withheld.tensors and all((owner, name) in self.unplaced for name in given)


def _assumptions(
    events: Mapping[Event, Seen], on_devices: frozenset[int]
) -> Callable[[Operation, Seen], bool]:
    """Which operations count only for those who ask for what rests on an assumption. What comes of the same
    place as one that does not, in another call of its function, does not either."""
    operations = [(event, where) for event, where in events.items() if isinstance(event, Operation)]
    at_home = _at_home(operations)
    sure = {
        event.site
        for event, where in operations
        if not (where.assumed and where.function not in on_devices) and are_apart(event)
    }

    def rests(event: Operation, where: Seen) -> bool:
        unproven = where.assumed and where.function not in on_devices and event.site not in sure
        return unproven or where.function in at_home or is_drawn(event)

    return rests


MOST_OVERSIGHTS = 4
"""How often one function can have forgotten where its arguments are. Two that seemed to do so more often were
read, with 5 and 29 places (docs/accuracy.md): both were right on torch's default device."""


def _at_home(operations: Sequence[tuple[Operation, Seen]]) -> frozenset[int]:
    """The functions that join host tensors to what they are given over and over, off hot paths: they are
    written for the host, or for torch's default device, on which then all of it lies."""
    places = {
        (where.function, event.site)
        for event, where in operations
        if event.hot is None and is_on_given(event) and are_apart(event)
    }
    counted = Counter(function for function, _ in places)
    return frozenset(function for function, often in counted.items() if often > MOST_OVERSIGHTS)


def _by_default(event: Event, devices: set[Device]) -> Iterator[Operation]:
    """An operation on the default device, if the file makes that one accelerator, in whichever function."""
    if not isinstance(event, Operation) or len(devices) != 1 or not all(map(is_accelerator, devices)):
        return
    (device,) = devices
    operands = tuple(
        replace(operand, device=device)
        if operand.path == DEFAULT_DEVICE and operand.device == UNKNOWN
        else operand
        for operand in event.operands
    )
    if operands != event.operands:
        yield replace(event, operands=operands)


def _placed(event: Event, *, hot: bool, constructing: bool, assumed: bool) -> Event:
    """An event with what the calls of its function say of it."""
    if hot and event.hot is None:
        event = replace(event, hot=HotPath.CALLED_FROM_HOT)
    if constructing and isinstance(event, Move):
        event = replace(event, seldom=True)
    if assumed:
        event = replace(event, certainty=Certainty.ASSUMED)
    return event
