"""The failed torch call as input for the rules, with the operands named as in the program."""

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
from devlint.runtime.explain.modules import (
    HeldTensor,
    ModuleAttribute,
    ModuleFacts,
    Tree,
    common_device,
    facts,
    survey,
)
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
from devlint.tensors.provenance import has_dropped_move

OriginOf = Callable[[torch.Tensor], Origin]

MAX_OPERANDS = 64
"""The most operands that are examined. A list of tensors may be long."""


@dataclass(frozen=True, slots=True)
class FailedCall:
    """The failed call. It holds names, devices and places, but no tensor and no frame."""

    operator: str
    """The canonical name; empty if unknown."""
    operands: tuple[Operand, ...]
    site: SiteId = NOWHERE_SITE
    kept: tuple[ModuleAttribute | None, ...] = ()
    """For each operand the module attribute that holds it."""
    dropped_moves: frozenset[str] = frozenset()
    """The paths of operands of which a move was dropped: the program did not use its result."""
    expression: str = ""
    """The source text of the call."""
    place: str = ""
    """`train.py:31:12`."""
    module: ModuleFacts | None = None
    """The outermost module on the stack."""
    container: ModuleAttribute | None = None
    """The plain container that holds the called module."""
    around: FailedCall | None = None
    """The program's call of a module, if the failed call is inside one of torch's own modules."""


class PassedValue(NamedTuple):
    """An argument of a call: its value, and its position or keyword."""

    argument: OperatorArgument
    value: object
    position: int | str
    """A position or a keyword."""
    suffix: str = ""
    """The index of the value in a list or tuple: `[1]`."""


def call_of(
    error: BaseException,
    operator: str,
    args: Sequence[object],
    kwargs: Mapping[str, object],
    sites: Sites,
    origin_of: OriginOf = lambda _: NOWHERE,
) -> FailedCall:
    """Describe the call that raised the error. Must be called while the caller's frame exists.

    `origin_of` returns the history of a tensor.
    """
    return _Scene(error, sites, origin_of).call(operator, args, kwargs)


def call_without_operands(error: BaseException, sites: Sites) -> FailedCall:
    """Describe an error of which the call is unknown, by its expression and its modules only."""
    return _Scene(error, sites, lambda _: NOWHERE).call("", (), {})


def bind(
    operator: Operator | None, args: Sequence[object], kwargs: Mapping[str, object]
) -> Iterator[PassedValue]:
    """Match the values of a call with the operator's arguments. An unknown operator has keywords only."""
    keys: tuple[int | str, ...] = (*range(len(args)), *kwargs)
    for key, value in zip(keys, (*args, *kwargs.values()), strict=True):
        yield PassedValue(argument_for(operator, key), value, key)


_PROTOCOL_METHODS = {"torch.Tensor.__array__": "torch.Tensor.numpy"}
"""Methods that protocols such as NumPy's call, with the operator to report if the caller is unknown."""


class _Scene:
    """The frames and tensors of an error. It is dropped after the call has been described."""

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
        passed = [each for each in _flattened(bind(row, args, kwargs)) if _is_placed(each)][:MAX_OPERANDS]
        if row is None or operator in _PROTOCOL_METHODS:
            operator, passed = self._as_written(operator, passed)
        names = self._names(operator, passed)
        operands = tuple(self._operand(each, name) for each, name in zip(passed, names, strict=True))
        return FailedCall(
            operator,
            operands,
            self._site,
            kept=tuple(self._kept(each.value) for each in passed),
            dropped_moves=_dropped_moves(passed, names),
            expression="" if self._written is None else self._written.whole(),
            place="" if self._written is None else self._written.place(),
            module=None if self._tree is None else facts(self._tree),
            container=self._container(),
            around=self._module_call(),
        )

    def _as_written(self, operator: str, passed: list[PassedValue]) -> tuple[str, list[PassedValue]]:
        """The function that the program calls, with its arguments, if that function calls the operator.

        For example, `pack_padded_sequence` calls an operator without a public name, and `numpy.asarray` calls
        `__array__`.
        """
        name = "" if self._written is None else self._written.callee()
        row = find(name) if name else None
        if self._written is None or (row is None and (not name or find_host_consumer(name) is None)):
            return _PROTOCOL_METHODS.get(operator, operator), passed
        outer = bind(row, *self._written.argument_values())
        return name, [
            each for each in _flattened(outer) if any(each.value is inner.value for inner in passed)
        ]

    def _module_call(self) -> FailedCall | None:
        """The program's call of one of torch's own modules."""
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
        passed = [each for each in _flattened(_inputs(self._called)) if is_tensor(each.value)][:MAX_OPERANDS]
        written = self._written.call_arguments()
        names = [
            self._written_name(written, each) or f"input {each.position}{each.suffix}" for each in passed
        ]
        inputs = [self._operand(each, name) for each, name in zip(passed, names, strict=True)]
        kept = (None, *(self._kept(each.value) for each in passed))
        return FailedCall(MODULE_CALL, (module, *inputs), self._site, kept, _dropped_moves(passed, names))

    def _operand(self, passed: PassedValue, name: str) -> Operand:
        """A value as an operand for the rules."""
        value, parameter = passed.value, passed.argument.name
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
        """The history of a tensor. For parameters and buffers, the missing `device=` is not the cause."""
        origin = self._origin_of(value)
        held = self._holder(value)
        if held is None or held.kept.kind is RegistrationKind.PLAIN_TENSOR:
            return origin
        return Origin(tuple(replace(step, implicit=False) for step in origin.steps))

    def _names(self, operator: str, passed: Sequence[PassedValue]) -> list[str]:
        """The names of operands: the source text, else the path in a module, else torch's name of the
        argument."""
        if self._written is None:
            return [self._fallback(each) for each in passed]
        if self._called is None:
            written = self._written.arguments(operator)
            return [self._written_name(written, each) or self._fallback(each) for each in passed]
        tree = survey(self._called.module, self._callee)
        inputs = [
            (each.value, self._written_name(self._written.call_arguments(), each))
            for each in _flattened(_inputs(self._called))
        ]
        return [self._inner_name(each, tree, inputs) or self._fallback(each) for each in passed]

    def _written_name(self, written: Arguments, passed: PassedValue) -> str:
        """The source text of an argument, unless it is known to have another value."""
        assert self._written is not None
        node = (
            written.positional[passed.position]
            if isinstance(passed.position, int) and passed.position < len(written.positional)
            else written.keyword.get(str(passed.position))
        )
        return self._written.text_for(node, passed.suffix, passed.value) or self._written.name_of(
            passed.value
        )

    def _inner_name(self, passed: PassedValue, tree: Tree, inputs: Sequence[tuple[object, str]]) -> str:
        """The name of an operand inside of torch's own module: a parameter of the module, or one of its
        inputs."""
        holder = tree.holder_of(passed.value) if is_tensor(passed.value) else None
        if holder is not None:
            return holder.kept.path
        return next((name for value, name in inputs if value is passed.value), "")

    def _fallback(self, passed: PassedValue) -> str:
        """The path of the value in a module or an optimizer, else torch's name of the argument."""
        held = self._holder(passed.value)
        if held is not None and held.tensor is passed.value:
            return held.kept.path
        if id(passed.value) in self._optimized:
            return self._optimized[id(passed.value)]
        return (passed.argument.name or f"argument {passed.position}") + passed.suffix

    def _holder(self, value: object) -> HeldTensor | None:
        return self._tree.holder_of(value) if self._tree is not None and is_tensor(value) else None

    def _kept(self, value: object) -> ModuleAttribute | None:
        held = self._holder(value)
        return None if held is None else held.kept

    def _attribute(self, value: torch.Tensor) -> str:
        """The attribute of `self` that holds the tensor, if `self` is a module that does not register it.

        An argument of the function has its own history, even if the module stores it.
        """
        held = self._holder(value)
        if held is None or self._frame is None or self._written is None or self._written.is_argument(value):
            return ""
        mine = held.owner is module_of(self._frame) and held.kept.attribute.isidentifier()
        return held.kept.attribute if mine and held.kept.kind is RegistrationKind.PLAIN_TENSOR else ""

    def _container(self) -> ModuleAttribute | None:
        """The plain container of the called module, if the container is the reason why the module was not
        moved."""
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
        """The tensors of an optimizer: paths by identity."""
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
    """The tensors of the outermost module. It is named as by its caller, else by its class."""
    if found is None:
        return None
    module, caller = found
    return survey(module, "" if caller is None else WrittenExpression.at(*caller).name_of(module))


def _inputs(called: Called) -> Iterator[PassedValue]:
    yield from bind(None, called.args, called.kwargs)


def _flattened(passed: Iterator[PassedValue]) -> Iterator[PassedValue]:
    """Replace lists and tuples by their items."""
    for each in passed:
        for suffix, value in within(each.value):
            yield each._replace(value=value, suffix=suffix)


def _is_placed(passed: PassedValue) -> bool:
    """Whether a value has a device, or specifies one."""
    value = passed.value
    if is_tensor(value) or is_generator(value) or type(value) is torch.device:
        return True
    return passed.argument.kind is ArgumentKind.DEVICE and type(value) in (str, int)


def _dropped_moves(passed: Sequence[PassedValue], names: Sequence[str]) -> frozenset[str]:
    """The names of tensors of which a move was dropped."""
    named = zip(passed, names, strict=True)
    return frozenset(name for each, name in named if is_tensor(each.value) and has_dropped_move(each.value))


def _requested(value: object) -> Device:
    """The device that an argument specifies; a number is an ordinal of CUDA."""
    try:
        return concrete(torch.device(value))  # type: ignore[call-overload]
    except (RuntimeError, TypeError, ValueError):
        return UNKNOWN
