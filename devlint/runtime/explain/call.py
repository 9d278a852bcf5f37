"""The torch call that failed, as rules can judge it: its operands by the program's own names for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch

from devlint.model import NOWHERE, UNKNOWN, Device, Kind, Operand, Origin, RegistrationKind, SiteId, is_host
from devlint.operators import (
    MODULE_CALL,
    ArgumentKind,
    Operator,
    OperatorArgument,
    argument_for,
    find,
    find_host_consumer,
)
from devlint.rules.operand_text import is_path
from devlint.runtime.explain.modules import HeldTensor, Kept, ModuleFacts, Tree, common_device, facts, survey
from devlint.runtime.explain.optimizers import optimizer_of, tensors_of
from devlint.runtime.explain.stack import (
    Called,
    StackLevel,
    called_module,
    module_of,
    outermost_module,
    program_level,
    stack,
)
from devlint.runtime.explain.tensors import concrete, device_of, is_generator, is_tensor, within
from devlint.runtime.explain.written import Arguments, WrittenExpression
from devlint.runtime.places.sites import NOWHERE_SITE, Sites
from devlint.tensors.provenance import was_moved_in_vain

OriginOf = Callable[[torch.Tensor], Origin]

MAX_OPERANDS = 64
"""A list of tensors may be long; a note names the first of them."""


@dataclass(frozen=True, slots=True)
class FailedCall:
    """The failing call as the observer saw it. It holds names, devices and places; no tensor, no frame."""

    operator: str
    """Canonical name; empty if unknown."""
    operands: tuple[Operand, ...]
    site: SiteId = NOWHERE_SITE
    kept: tuple[Kept | None, ...] = ()
    """For each operand, where a module keeps it."""
    in_vain: frozenset[str] = frozenset()
    """The operands that were moved before without keeping the result, by path."""
    expression: str = ""
    """What is written there."""
    place: str = ""
    """`train.py:31:12`."""
    module: ModuleFacts | None = None
    """The outermost module that runs."""
    container: Kept | None = None
    """The plain container in which the program keeps the module that it called."""
    around: FailedCall | None = None
    """The call of a module by the program, where the failing call is inside torch's own module."""


class PassedValue(NamedTuple):
    """A value passed for an argument, and where it stands among what was passed."""

    argument: OperatorArgument
    value: object
    position: int | str
    """Place or keyword."""
    suffix: str = ""
    """How a list or tuple holds it: `[1]`."""


def call_of(
    error: BaseException,
    operator: str,
    args: Sequence[object],
    kwargs: Mapping[str, object],
    sites: Sites,
    origin_of: OriginOf = lambda _: NOWHERE,
) -> FailedCall:
    """The call that raised, to be asked for while its caller still runs.

    `origin_of` gives the history of a tensor.
    """
    return _Scene(error, sites, origin_of).call(operator, args, kwargs)


def surroundings(error: BaseException, sites: Sites) -> FailedCall:
    """What can be told of an error's place where the call is not known: the expression and the modules."""
    return _Scene(error, sites, lambda _: NOWHERE).call("", (), {})


def bind(
    operator: Operator | None, args: Sequence[object], kwargs: Mapping[str, object]
) -> Iterator[PassedValue]:
    """The values of a call with their arguments. Of an unknown operator only the keywords are known."""
    keys: tuple[int | str, ...] = (*range(len(args)), *kwargs)
    for key, value in zip(keys, (*args, *kwargs.values()), strict=True):
        yield PassedValue(argument_for(operator, key), value, key)


_BENEATH = {"torch.Tensor.__array__": "torch.Tensor.numpy"}
"""Operators that protocols call and no program names; each with what is said if its caller is unknown."""


class _Scene:
    """The place of an error, with its frames and tensors; gone when the call has been described."""

    def __init__(self, error: BaseException, sites: Sites, origin_of: OriginOf) -> None:
        levels = stack(error)
        level = program_level(levels)
        self._frame = None if level is None else level.frame
        self._site = sites.at(self._frame)
        self._written = None if level is None else WrittenExpression.at(*level)
        self._origin_of = origin_of
        self._tree = _tree(outermost_module(levels))
        self._called = called_module(levels, level)
        self._callee = self._name_of_callee()
        self._optimized = self._in_optimizer(optimizer_of(levels))

    def call(self, operator: str, args: Sequence[object], kwargs: Mapping[str, object]) -> FailedCall:
        row = find(operator) if operator else None
        given = [each for each in _taken_apart(bind(row, args, kwargs)) if _is_placed(each)][:MAX_OPERANDS]
        if row is None or operator in _BENEATH:
            operator, given = self._as_written(operator, given)
        names = self._names(operator, given)
        operands = tuple(self._operand(each, name) for each, name in zip(given, names, strict=True))
        return FailedCall(
            operator,
            operands,
            self._site,
            kept=tuple(self._kept(each.value) for each in given),
            in_vain=_in_vain(given, names),
            expression="" if self._written is None else self._written.whole(),
            place="" if self._written is None else self._written.place(),
            module=None if self._tree is None else facts(self._tree),
            container=self._container(),
            around=self._module_call(),
        )

    def _as_written(self, operator: str, given: list[PassedValue]) -> tuple[str, list[PassedValue]]:
        """The function that the program calls, and what it is given, where that calls an operator beneath it.

        `pack_padded_sequence` calls one that has no name, and `numpy.asarray` calls `__array__`.
        """
        name = "" if self._written is None else self._written.callee()
        row = find(name) if name else None
        if self._written is None or (row is None and (not name or find_host_consumer(name) is None)):
            return _BENEATH.get(operator, operator), given
        outer = bind(row, *self._written.values_given())
        return name, [
            each for each in _taken_apart(outer) if any(each.value is inner.value for inner in given)
        ]

    def _module_call(self) -> FailedCall | None:
        """The call of torch's own module by the program, with what it was given."""
        if self._called is None or self._written is None:
            return None
        tree = survey(self._called.module, self._callee)
        device = common_device(tree)
        first = next((held for held in tree.held if held.kept.device == device), None)
        has_parameters = first is not None and first.kept.kind is RegistrationKind.PARAMETER
        module = Operand(
            self._callee,
            self._site,
            UNKNOWN if device is None else device,
            Kind.MODULE,
            NOWHERE if first is None else self._origin(first.tensor),
            anchor=f"next({self._callee}.parameters()).device" if has_parameters else "",
        )
        given = [each for each in _taken_apart(_inputs(self._called)) if is_tensor(each.value)][:MAX_OPERANDS]
        written = self._written.called_with()
        names = [self._written_name(written, each) or f"input {each.position}{each.suffix}" for each in given]
        inputs = [self._operand(each, name) for each, name in zip(given, names, strict=True)]
        kept = (None, *(self._kept(each.value) for each in given))
        return FailedCall(MODULE_CALL, (module, *inputs), self._site, kept, _in_vain(given, names))

    def _operand(self, given: PassedValue, name: str) -> Operand:
        """What the rules are told of a value."""
        value, parameter = given.value, given.argument.name
        anchor = f"{name}.device" if is_path(name) else ""
        if is_generator(value):
            return Operand(name, self._site, concrete(value.device), Kind.GENERATOR, parameter=parameter)
        if not is_tensor(value):
            return Operand(name, self._site, _requested(value), Kind.DEVICE, parameter=parameter)
        return Operand(
            path=name,
            site=self._site,
            device=device_of(value),
            origin=self._origin(value),
            parameter=parameter,
            rank0=torch.Tensor.dim(value) == 0,
            boolean=value.dtype == torch.bool,
            attribute=self._attribute(value),
            anchor=anchor,
        )

    def _origin(self, value: torch.Tensor) -> Origin:
        """A tensor's history. Where a parameter lies is its module's business, and no `device=` mends it."""
        origin = self._origin_of(value)
        held = self._keeper(value)
        if held is None or held.kept.kind is RegistrationKind.PLAIN_TENSOR:
            return origin
        return Origin(tuple(replace(step, implicit=False) for step in origin.steps))

    def _names(self, operator: str, given: Sequence[PassedValue]) -> list[str]:
        """What each operand is called: its text, else where a module keeps it, else torch's name for it."""
        if self._written is None:
            return [self._fallback(each) for each in given]
        if self._called is None:
            written = self._written.arguments(operator)
            return [self._written_name(written, each) or self._fallback(each) for each in given]
        tree = survey(self._called.module, self._callee)
        inputs = [
            (each.value, self._written_name(self._written.called_with(), each))
            for each in _taken_apart(_inputs(self._called))
        ]
        return [self._inner_name(each, tree, inputs) or self._fallback(each) for each in given]

    def _written_name(self, written: Arguments, given: PassedValue) -> str:
        """The text of an argument, where nothing contradicts that it stands for the value."""
        assert self._written is not None
        node = (
            written.positional[given.position]
            if isinstance(given.position, int) and given.position < len(written.positional)
            else written.keyword.get(str(given.position))
        )
        return self._written.text_for(node, given.suffix, given.value) or self._written.name_of(given.value)

    def _inner_name(self, given: PassedValue, tree: Tree, inputs: Sequence[tuple[object, str]]) -> str:
        """The name of an operand inside torch's own module: part of that module, or one of its inputs."""
        keeper = tree.keeper_of(given.value) if is_tensor(given.value) else None
        if keeper is not None:
            return keeper.kept.path
        return next((name for value, name in inputs if value is given.value), "")

    def _fallback(self, given: PassedValue) -> str:
        """Where a module or an optimizer keeps the value, else torch's own name for the argument."""
        held = self._keeper(given.value)
        if held is not None and held.tensor is given.value:
            return held.kept.path
        if id(given.value) in self._optimized:
            return self._optimized[id(given.value)]
        return (given.argument.name or f"argument {given.position}") + given.suffix

    def _keeper(self, value: object) -> HeldTensor | None:
        return self._tree.keeper_of(value) if self._tree is not None and is_tensor(value) else None

    def _kept(self, value: object) -> Kept | None:
        held = self._keeper(value)
        return None if held is None else held.kept

    def _attribute(self, value: torch.Tensor) -> str:
        """The attribute of `self` that holds the tensor, if `self` is a module that does not register it.

        What came in as an argument has a history of its own, even if the module remembers it.
        """
        held = self._keeper(value)
        if held is None or self._frame is None or self._written is None or self._written.is_given(value):
            return ""
        mine = held.owner is module_of(self._frame) and held.kept.attribute.isidentifier()
        return held.kept.attribute if mine and held.kept.kind is RegistrationKind.PLAIN_TENSOR else ""

    def _container(self) -> Kept | None:
        """The plain container that the called module is in, if that is why it was left on the host."""
        if self._called is None or self._tree is None:
            return None
        device = common_device(survey(self._called.module, self._callee))
        if device is None or not is_host(device):
            return None
        held = next((held for held in self._tree.held if held.owner is self._called.module), None)
        if held is None or held.kept.reached:
            return None
        inside = (each for each in self._tree.containers if held.kept.path.startswith(each.path + "["))
        return next(inside, None)

    def _in_optimizer(self, optimizer: torch.optim.Optimizer | None) -> dict[int, str]:
        """What the optimizer that steps works on: paths by identity."""
        if optimizer is None:
            return {}
        name = "" if self._written is None else self._written.name_of(optimizer)
        return {id(value): path for value, path in tensors_of(optimizer, name or type(optimizer).__name__)}

    def _name_of_callee(self) -> str:
        if self._called is None:
            return ""
        written = self._written
        name = "" if written is None else written.name_of(self._called.module) or written.new_callee()
        return name or type(self._called.module).__name__


def _tree(found: tuple[torch.nn.Module, StackLevel | None] | None) -> Tree | None:
    """The outermost module's tree, by the name that its caller has for it, or else by its class."""
    if found is None:
        return None
    module, caller = found
    return survey(module, "" if caller is None else WrittenExpression.at(*caller).name_of(module))


def _inputs(called: Called) -> Iterator[PassedValue]:
    yield from bind(None, called.args, called.kwargs)


def _taken_apart(given: Iterator[PassedValue]) -> Iterator[PassedValue]:
    """Lists and tuples by their items."""
    for each in given:
        for suffix, value in within(each.value):
            yield each._replace(value=value, suffix=suffix)


def _is_placed(given: PassedValue) -> bool:
    """Whether a value has, or names, a device."""
    value = given.value
    if is_tensor(value) or is_generator(value) or type(value) is torch.device:
        return True
    return given.argument.kind is ArgumentKind.DEVICE and type(value) in (str, int)


def _in_vain(given: Sequence[PassedValue], names: Sequence[str]) -> frozenset[str]:
    """The names of tensors whose move was lost."""
    named = zip(given, names, strict=True)
    return frozenset(name for each, name in named if is_tensor(each.value) and was_moved_in_vain(each.value))


def _requested(value: object) -> Device:
    """The device that an argument asks for; a number is an ordinal of CUDA."""
    try:
        return concrete(torch.device(value))  # type: ignore[call-overload]
    except (RuntimeError, TypeError, ValueError):
        return UNKNOWN
