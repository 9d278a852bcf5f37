"""Which assumed outcomes of tests a call depends on: those of tests of what it can read."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from typing import NamedTuple

from devlint.source.machine.domain.identity import Same
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.values import Method, Object, Reference, Tensor, Union, Value
from devlint.source.machine.heap.closures import activations_of, captured
from devlint.source.machine.heap.derived import derived, reached
from devlint.source.machine.heap.files import Function
from devlint.source.machine.heap.objects import BoundMethod, Instance, Partial

Assumed = frozenset[tuple[Hashable, bool]]
NONE_ASSUMED: Assumed = frozenset()


class Readable(NamedTuple):
    """What a call can read."""

    objects: frozenset[Object]
    values: frozenset[int]
    """The unknown values in these objects, by object identity."""
    tests: frozenset[Hashable]
    """The tests that determined the devices of the tensors in these objects."""

    def beside(self, others: Collection[Object]) -> Readable:
        """The same, and some other objects with the values in their cells."""
        return Readable(
            self.objects.union(others),
            self.values.union(at for each in others for at in _identities(_values(each))),
            self.tests.union(test for each in others for test in _tests(_values(each))),
        )


def readable(arguments: Collection[Value], roots: Iterable[Object], scopes: Iterable[Object]) -> Readable:
    """What a call can read through its arguments, which refer to these structures, and of these scopes."""
    found = [derived(each, _readable) for each in roots]
    return Readable(
        frozenset(scopes).union(*(each.objects for each in found)),
        frozenset(_identities(arguments)).union(*(each.values for each in found)),
        frozenset(_tests(arguments)).union(*(each.tests for each in found)),
    )


def relevant(assumed: Mapping[Hashable, bool], within: Readable) -> Assumed:
    """The assumptions about what is readable, and those about tests that determined the device of a readable
    tensor."""
    return frozenset(
        (test, outcome)
        for test, outcome in assumed.items()
        if test in within.tests or _is_about(test, within)
    )


def inputs_of(assumed: Assumed) -> frozenset[Input]:
    """The inputs whose tests have an assumed outcome."""
    return frozenset(each for test, _ in assumed for each in _inputs(test))


def _inputs(test: Hashable) -> Iterator[Input]:
    match test:
        case Same(held=Input() as held):
            yield held
        case tuple():
            for each in test:
                yield from _inputs(each)


def _is_about(test: Hashable, within: Readable) -> bool:
    """Whether everything that a test reads is readable."""
    match test:
        case Same(held=held):
            return id(held) in within.values
        case Reference(target=target):
            return target in within.objects
        case Object():
            return test in within.objects
        case tuple():
            return all(_is_about(each, within) for each in test)
        case _:
            return True


def _readable(held: Object) -> Readable:
    found = reached(held)
    values = [one for each in found for one in _values(each)]
    objects = frozenset(found).union(activations_of(found))
    return Readable(objects, frozenset(_identities(values)), frozenset(_tests(values)))


def _values(held: Object) -> Iterator[Value]:
    yield from held.cells.values()
    match held:
        case Partial():
            yield from (held.callee, *held.arguments, *held.keywords.values())
        case BoundMethod():
            yield held.receiver
        case Function():
            yield from held.defaults.values()
            yield from (value for _, _, value in captured(held))
        case Instance():
            yield from held.arguments.values()


def _identities(values: Iterable[Value]) -> Iterator[int]:
    for each in values:
        yield id(each)
        if type(each) is Union:
            yield from map(id, each.alternatives)


def _tests(values: Iterable[Value]) -> Iterator[Hashable]:
    for each in values:
        for one in each.alternatives if type(each) is Union else (each,):
            if type(one) is Method:
                yield from _tests((one.receiver,))
            elif type(one) is Tensor:
                yield from (test for test, _ in one.outcomes)
