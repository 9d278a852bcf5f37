"""Where the data lie that callers give to the functions of other files, if nothing calls the callers either.

A hypothesis gives a function tensors on an accelerator. If all who call it in the project give it tensors on
the host, that is less likely.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from devlint.model import CPU
from devlint.source.machine.domain.inputs import Input, bases
from devlint.source.machine.domain.values import (
    Array,
    DeviceValue,
    Known,
    Object,
    Reference,
    Scalar,
    Tensor,
    Top,
    Value,
    alternatives,
)
from devlint.source.machine.heap.classes import class_lookup
from devlint.source.machine.heap.derived import derived, is_structure, reached
from devlint.source.machine.heap.files import Function
from devlint.source.machine.heap.module_classes import is_module_class
from devlint.source.machine.heap.objects import Instance, Partial
from devlint.source.machine.reporting.event_log import ExecutionContext

_TEST = "test_"
"""Begins the names of the functions that pytest calls, with fixtures as arguments."""


class Given(NamedTuple):
    """What a function of another file gets from a caller that is tried under a hypothesis."""

    path: str
    function: str
    """The function: file and qualified name."""
    hypothesis: str
    """The function of the program's file that is assumed to be called."""
    on_host: bool
    """Whether each such call gives tensors on the host, and none elsewhere."""


class _Contents(NamedTuple):
    """What a value contains."""

    on_host: bool = False
    """Whether it contains tensors on the host, or arrays."""
    elsewhere: bool = False
    """Whether it contains tensors that are not known to be on the host."""
    unknown: bool = False
    inputs: tuple[Input, ...] = ()
    """The inputs in it, of which later uses may show that they are tensors."""


class _Calls:
    """The calls of one function under one hypothesis."""

    def __init__(self) -> None:
        self.on_host = False
        self.elsewhere = False
        self.inputs: dict[Input, None] = {}

    def add(self, given: _Contents) -> None:
        """Add a call."""
        self.elsewhere = self.elsewhere or given.elsewhere or given.unknown
        if given.on_host:
            self.on_host = True
        elif given.inputs:
            self.elsewhere = True
        self.inputs.update(dict.fromkeys(given.inputs))

    def is_elsewhere(self) -> bool:
        """Whether some call gives a tensor that is not known to be on the host."""
        return self.elsewhere or any(map(_is_tensor_elsewhere, self.inputs))


class GivenData:
    """What the callers of a file, while they are tried under hypotheses, give to functions of other files."""

    def __init__(self) -> None:
        self._calls: dict[tuple[str, str, str], _Calls] = {}
        self._makes_up = False
        """Whether the present caller makes up its data."""

    def start(self, caller: Function, passed: tuple[Value, ...]) -> None:
        """Begin a hypothesis. A test, and a caller that is given no data, such as a demonstration, make up
        their data on the host: that does not show where others have theirs."""
        self._makes_up = caller.name.startswith(_TEST) or not _is_given_data(caller, passed)

    def note(self, function: Function, passed: tuple[Value, ...], execution: ExecutionContext) -> None:
        """Record a call. What the object of a method holds is not given. The methods of modules do not count:
        a module is called on the host to learn the sizes of its results, before it is moved."""
        if not execution.chain or execution.expected or self._makes_up or _is_of_module(function):
            return
        at = function.file.path, function.qualname, execution.hypothesis
        self._calls.setdefault(at, _Calls()).add(_contents(passed[function.owner is not None :]))

    def found(self) -> Iterator[Given]:
        """What the functions were given, as far as it is tensors."""
        for (path, function, hypothesis), calls in self._calls.items():
            elsewhere = calls.is_elsewhere()
            if elsewhere or calls.on_host:
                yield Given(path, function, hypothesis, not elsewhere)


def _is_given_data(caller: Function, passed: tuple[Value, ...]) -> bool:
    """Whether a function takes arguments other than numbers, texts and devices, or is a method of an object
    whose constructor takes some."""
    own = passed[caller.owner is not None :]
    if any(not isinstance(each, (Known, Scalar, DeviceValue)) for each in own):
        return True
    if caller.owner is None or not passed:
        return False
    receiver = passed[0].target if isinstance(passed[0], Reference) else None
    made = receiver.of if isinstance(receiver, Instance) else None
    constructor = None if made is None else class_lookup(made, "__init__")[0]
    held = constructor.target if isinstance(constructor, Reference) else None
    return isinstance(held, Function) and len(held.node.parameters) > 1


def _is_of_module(function: Function) -> bool:
    return function.owner is not None and any(map(is_module_class, function.owner.externals))


def _contents(values: Iterable[Value]) -> _Contents:
    """The contents of several values, and of what they refer to."""
    return _joined(_content(one) for each in values for one in alternatives(each))


def _content(held: Value) -> _Contents:
    match held:
        case Tensor(device=device):
            return _Contents(on_host=device == CPU, elsewhere=device != CPU)
        case Array():
            return _Contents(on_host=True)
        case Input(device=device):
            return _Contents(on_host=device == CPU and not held.refuted, inputs=(held,))
        case Top():
            return _Contents(unknown=True)
        case Reference(target=target) if is_structure(target):
            return derived(target, _content_of)
        case _:
            return _Contents()


def _content_of(held: Object) -> _Contents:
    """The contents of an object, and of all objects that it reaches."""
    values = (one for part in reached(held) for each in _values(part) for one in alternatives(each))
    return _joined(_content(one) for one in values if not isinstance(one, Reference))


def _values(held: Object) -> Iterator[Value]:
    yield from held.cells.values()
    match held:
        case Instance():
            yield from held.arguments.values()
        case Partial():
            yield from (*held.arguments, *held.keywords.values())


def _joined(several: Iterable[_Contents]) -> _Contents:
    on_host = elsewhere = unknown = False
    inputs: dict[Input, None] = {}
    for each in several:
        on_host, elsewhere = on_host or each.on_host, elsewhere or each.elsewhere
        unknown = unknown or each.unknown
        inputs.update(dict.fromkeys(each.inputs))
    return _Contents(on_host, elsewhere, unknown, tuple(inputs))


def _is_tensor_elsewhere(held: Input) -> bool:
    """Whether some use shows that an input is a tensor, which is not known to be on the host."""
    return held.device != CPU and not held.refuted and any(each.evident for each in bases(held))
