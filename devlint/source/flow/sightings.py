"""What has been seen in the functions of a file, kept by function until it is known to count."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from devlint.model import Event, HotPath, Move, Operation
from devlint.source.flow.callgraph import Call, CallGraph
from devlint.source.flow.frame import Frame
from devlint.source.flow.given import is_given, is_on_host, is_within_new_module


@dataclass(frozen=True, slots=True)
class Withheld:
    """An operation on what a function is given, in which its callers have a say."""

    operation: Operation
    function: int
    cold: bool
    owner: int
    """The function whose parameters they are: this one, or one around it."""
    is_private: bool
    annotated: frozenset[str]
    """The parameters that are stated to be tensors."""


def withheld(operation: Operation, frame: Frame) -> Withheld:
    """An operation as it is kept until all callers are known."""
    owner = frame
    given = _given_to(operation)
    while owner.enclosing is not None and owner.parameters.isdisjoint(given):
        owner = owner.enclosing
    if owner.parameters.isdisjoint(given):
        owner = frame
    return Withheld(
        operation, frame.identity, frame.cold, owner.identity, owner.is_private, owner.evidence.annotated
    )


def _given_to(operation: Operation) -> frozenset[str]:
    """The parameters whose tensors an operation is on."""
    return frozenset(o.device.name for o in operation.operands if is_given(o.device))


@dataclass(slots=True)
class Notes:
    """What was seen in one activation, or in all of a file's."""

    events: dict[Event, tuple[int, bool]] = field(default_factory=dict)
    """Each with the function that it was seen in, and whether that was in a part seldom reached."""
    calls: dict[Call, None] = field(default_factory=dict)
    withheld: dict[Withheld, None] = field(default_factory=dict)
    unplaced: set[tuple[int, str]] = field(default_factory=set)
    """Parameters for which a caller has passed something that lies nobody knows where."""
    given_elsewhere: set[tuple[int, str]] = field(default_factory=set)
    """Parameters for which a caller has passed something that is not known to lie on the host."""

    def add(self, more: Notes) -> None:
        """Take in what was seen elsewhere in the file; what was seen before keeps its place."""
        for event, where in more.events.items():
            self.events.setdefault(event, where)
        self.calls |= more.calls
        self.withheld |= more.withheld
        self.unplaced |= more.unplaced
        self.given_elsewhere |= more.given_elsewhere

    def settled(
        self, calls: CallGraph, constructors: frozenset[int], host_names: frozenset[str]
    ) -> tuple[Event, ...]:
        """The events that count when all callers in the file are known, in the order in which they were first
        seen. `host_names` are parameters that are given to what takes host tensors only."""
        events = dict(self.events)
        for each in self.withheld:
            if not calls.is_called(each.owner) or self._is_left_open(each):
                events.setdefault(each.operation, (each.function, each.cold))
        hot_functions = calls.only_from_hot_paths()
        construction = calls.only_from(constructors)
        return tuple(
            _placed(
                event,
                hot=not cold and function in hot_functions,
                constructing=function in construction,
            )
            for event, (function, cold) in events.items()
            if not is_on_host(event, host_names)
            and not (
                function in construction and is_within_new_module(event, called=function not in constructors)
            )
        )

    def _is_left_open(self, withheld: Withheld) -> bool:
        """Whether the calls in the file leave open where the tensors are that a function works on.

        A public function may have callers in other files as well; that all of those in its own give it host
        tensors shows what it is for. A private one has to be stated to take tensors, and no caller may show
        where they are.
        """
        given, owner = _given_to(withheld.operation), withheld.owner
        if not withheld.is_private:
            return any((owner, name) in self.given_elsewhere for name in given)
        return given <= withheld.annotated and all((owner, name) in self.unplaced for name in given)


def _placed(event: Event, *, hot: bool, constructing: bool) -> Event:
    """An event with what the calls of its function say of it."""
    if hot and event.hot is None:
        event = replace(event, hot=HotPath.CALLED_FROM_HOT)
    if constructing and isinstance(event, Move):
        event = replace(event, constructing=True)
    return event
