"""The operands of an operation: its tensors, and their names in messages."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator
from typing import NamedTuple

from devlint.model import (
    CPU,
    UNKNOWN,
    Confidence,
    Kind,
    Operand,
    SiteId,
    Symbol,
    SymbolKind,
    is_accelerator,
    is_of_tensor,
)
from devlint.operators import ArgumentKind
from devlint.source import ir
from devlint.source.machine.domain.identity import none_test
from devlint.source.machine.domain.inputs import Input, bases
from devlint.source.machine.domain.lattice import least_sure
from devlint.source.machine.domain.tensors import tensor_of
from devlint.source.machine.domain.values import (
    DeviceValue,
    GeneratorValue,
    Known,
    Reference,
    Scalar,
    Tensor,
    Union,
    Value,
    changed,
)
from devlint.source.machine.heap.frames import Frame, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container, Instance
from devlint.source.machine.operators.binding import Bound
from devlint.source.walk import path, text


class TensorArgument(NamedTuple):
    """A tensor operand."""

    tensor: Tensor
    passed: Passed
    name: str
    """The operator's name for it."""
    label: str
    """Its name in messages, if it is not written in the source."""


def exclude_each_other(machine: Machine, tensors: Iterable[Tensor]) -> bool:
    """Whether no path has all of these tensors here.

    A test that determined the device of one had the opposite outcome for another one, or has it on the
    current path.
    """
    sources = []
    chosen: set[tuple[Hashable, bool]] = set()
    for each in tensors:
        chosen |= each.outcomes
        sources.append(each.source)
    if chosen:
        chosen.update(machine.assumed.items())
        # An input that is a tensor here is not None on the path that led here.
        chosen.update((none_test(each), False) for each in sources if each is not None)
    return any((test, not outcome) in chosen for test, outcome in chosen)


def is_presumed(tensor: Tensor) -> bool:
    """Whether nothing shows the device of a tensor that an unknown callable returned."""
    source = tensor.source
    return source is not None and source.presumed and not source.origin.was_moved


def are_kept_by_others(machine: Machine, tensors: Collection[Tensor]) -> bool:
    """Whether parameters of a module that an object holds meet arguments of the object's method, and no value
    that the program itself has moved to a device.

    The user of the object moves the module, or leaves module and arguments where they are.
    """
    made_before = machine.execution.kept
    return any(_stays(each, made_before) for each in tensors) and all(
        each.device in (CPU, UNKNOWN) or is_of_tensor(each.device) for each in tensors
    )


def _stays(tensor: Tensor, made_before: int) -> bool:
    is_parameter = bool(tensor.role) and tensor.device == CPU and not tensor.origin.was_moved
    return is_parameter and tensor.serial < made_before


def tensor_arguments(bound: Bound) -> list[TensorArgument]:
    """The tensor operands, including those in lists of tensors."""
    found: list[TensorArgument] = []
    for argument, passed in bound.arguments:
        value = passed.value
        if isinstance(value, (Tensor, Input)):
            if argument.kind in TENSORS or argument.index:
                tensor = tensor_of(value)
                if tensor is not None:
                    found.append(TensorArgument(tensor, passed, argument.name, ""))
        elif argument.kind is not ArgumentKind.TENSORS:
            continue
        elif isinstance(value, Reference) and isinstance(value.target, Container):
            found += [
                TensorArgument(tensor, Passed(tensor, expression, passed.site), argument.name, label)
                for tensor, expression, label in _tensors_in(value.target, passed.expression)
            ]
    return found


TENSORS = (ArgumentKind.TENSOR, ArgumentKind.TENSORS)
"""The kinds of arguments that are tensors or lists of tensors."""


def _tensors_in(held: Container, expression: ir.Expression) -> Iterator[tuple[Tensor, ir.Expression, str]]:
    """The tensors of a sequence, each with its name in messages."""
    written = expression.elements if isinstance(expression, ir.Sequence) else ()
    items = held.items
    for position, item in enumerate(items):
        tensor = _element(item)
        if tensor is None:
            continue
        if len(written) == len(items):
            yield tensor, written[position], ""
        else:
            yield tensor, expression, f"{text(expression)}[{position}]"
    if held.element is not None and (tensor := _element(held.element)) is not None:
        yield tensor, expression, f"{text(expression)}[…]"


def _element(held: Value) -> Tensor | None:
    """The tensor that an element of a sequence is: all of them lie on one device, or torch raises an error.

    If some are known to lie on the host and others on one other device, those on the host are most likely
    placeholders that have been replaced.
    """
    if not isinstance(held, Union):
        return tensor_of(held)
    tensors = [each for each in map(tensor_of, held.alternatives) if each is not None]
    found = [each for each in tensors if each.device != CPU] or tensors
    if len({each.device for each in found}) != 1:
        return None
    return changed(found[0], confidence=least_sure(Confidence.LIKELY, *(each.confidence for each in found)))


def unpacked_indices(indices: list[Passed], frame: Frame) -> list[Passed]:
    """The indices of a tensor. A tuple that is the only index is replaced by its elements."""
    match indices:
        case [Passed(value=Reference(target=Container(kind="tuple", exact=True) as held)) as index]:
            written = index.expression.elements if isinstance(index.expression, ir.Sequence) else ()
            if len(written) != held.length:
                return [index._replace(value=item) for item in held.items]
            return [
                index._replace(value=item, expression=each, site=frame.site(each))
                for item, each in zip(held.items, written, strict=True)
            ]
        case _:
            return indices


def operand(
    value: Value, passed: Passed, parameter: str = "", label: str = "", activation: int | None = None
) -> Operand:
    """The operand of an event. `where` is the activation that uses it, if that matters."""
    name = label or text(passed.expression)
    match value:
        case Tensor():
            return Operand(
                path=name,
                site=passed.site,
                device=value.device,
                kind=Kind.TENSOR,
                origin=value.origin,
                parameter=parameter,
                rank0=value.rank0,
                boolean=value.boolean,
                attribute=value.attribute if value.left_behind else "",
                from_other_activation=activation is not None and value.activation != activation,
                anchor=_anchor(value, passed.expression),
                mixed_at=value.mixed_at,
            )
        case Input():
            tensor = tensor_of(value)
            assert tensor is not None
            return operand(tensor, passed, parameter, label)
        case GeneratorValue(device=device, origin=origin):
            return Operand(name, passed.site, device, Kind.GENERATOR, origin, parameter)
        case DeviceValue(device=device):
            return Operand(name, passed.site, device, Kind.DEVICE, parameter=parameter)
        case Known() | Scalar():
            return Operand(name, passed.site, CPU, Kind.SCALAR, parameter=parameter, rank0=True)
        case Reference(target=Container()):
            return Operand(name, passed.site, CPU, Kind.CONTAINER, parameter=parameter)
        case Reference(target=Instance()):
            return Operand(name, passed.site, UNKNOWN, Kind.MODULE, parameter=parameter)
        case _:
            return Operand(name, passed.site, CPU, Kind.ARRAY, parameter=parameter)


def _anchor(tensor: Tensor, expression: ir.Expression) -> str:
    """An expression for the tensor's device that is valid where the tensor is used."""
    device = tensor.device
    if tensor.source is not None and not tensor.source.evident:
        return ""
    if isinstance(device, Symbol) and device.kind is SymbolKind.DEVICE:
        return device.name
    if tensor.spelled:
        return tensor.spelled
    if is_accelerator(device) or isinstance(device, Symbol):
        name = path(expression)
        return f"{name}.device" if name else ""
    return ""


def at(operand_site: Passed, site: SiteId) -> Passed:
    """The argument as if it were on another device."""
    return operand_site._replace(site=site)


def deciding_operand(tensors: list[TensorArgument], *, first_only: bool) -> Tensor | None:
    """The operand that decides where the result is: the first that is not a 0-dim host tensor.

    Where a known device meets the host, the operation has raised unless the host tensor may come along, so
    that the result lies on the device. Beside what is known to be a tensor there, it does not matter whether
    an input is one: if it is a number, the result lies there too. So it does beside a tensor on the host, if
    nothing speaks for a tensor.
    """
    if not tensors:
        return None
    if first_only:
        return tensors[0].tensor
    on_host = unknown = supposed = None
    for tensor, *_ in tensors:
        if tensor.device == CPU:
            if tensor.rank0 is not True and on_host is None:
                on_host = tensor
        elif tensor.device != UNKNOWN:
            if tensor.source is None or tensor.source.evident:
                return tensor
            if supposed is None or may_be_number(supposed):
                supposed = tensor
        elif unknown is None:
            unknown = tensor
    if supposed is not None and on_host is not None and may_be_number(supposed):
        return on_host
    return supposed or on_host or unknown or tensors[0].tensor


def may_be_number(tensor: Tensor) -> bool:
    """Whether a value of which a hypothesis takes that it is a tensor is a number as well as one."""
    source = tensor.source
    return source is not None and not any(
        each.has_dimensions or each.of_forward or each.presumed or each.part or each.asked
        for each in bases(source)
    )


def inputs_of(tensors: list[TensorArgument]) -> tuple[Input, ...]:
    """The inputs that have to be tensors for the operands to be tensors."""
    found = [each.tensor.source for each in tensors if each.tensor.source is not None]
    return tuple(dict.fromkeys(found))


def placed_by_inputs(tensors: Iterable[Tensor]) -> tuple[Input, ...]:
    """The inputs that have to lie where they are supposed to for the tensors to lie where they do.

    Of those that lie on the host, as batches do, that is known: who moves one part of a batch confirms it."""
    found = [
        source
        for each in tensors
        if (source := each.source) is not None and source.device != CPU and not each.origin.was_moved
    ]
    return tuple(dict.fromkeys(found))
