"""Calls that are run without a look at their kernels: what they return lies where all their operands do.

A dispatch mode costs more than a small kernel. Most functions run one kernel, which demands one device for
all operands and puts its result there; if the operands agree, there is nothing for the mode to find. Of such
a call, autograd keeps operands and results alone, which have labels. It keeps more of a call of several
kernels, and of one that writes into an operand, which it copies first. These are run directly only where it
keeps nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cache
from types import BuiltinFunctionType, MethodDescriptorType
from typing import Any, Final

import torch
from torch import Tensor, is_grad_enabled
from torch._C import (
    _disabled_torch_function_impl,
    _DisableTorchDispatch,
    _get_tracing_state,
    _is_any_autocast_enabled,
    _len_torch_dispatch_stack,
)
from torch._ops import OpOverloadPacket
from torch.autograd import forward_ad
from torch.nn import Parameter, functional

from devlint.instrumentation.hooks import Failed
from devlint.simulation.kernels import Kernel
from devlint.simulation.labels import LABEL, attributes_of, handles_kernels, label_new
from devlint.tensors.provenance import derive

NOT_DONE: Final = object()
"""A call was not made, because its kernels have to be looked at."""
_hooks_of_saved_tensors: Callable[[bool], object] = getattr(
    torch._C._autograd, "_top_saved_tensors_default_hooks", lambda _: NOT_DONE
)
"""The innermost ones, None if there are none. Torch 2.6 does not say, so that there may be some."""


class When(Enum):
    """Which calls may be run directly."""

    ALWAYS = "always"
    WITHOUT_GRADIENTS = "without gradients"
    """If autograd keeps nothing, since it would keep something else than operands and results."""
    NEVER = "never"


_ALWAYS: Final = When.ALWAYS
_NEVER: Final = When.NEVER
"""Looked up for each call, which takes longer in the enumeration."""

Decides = Callable[[Sequence[Any], Mapping[str, Any]], When]
"""When a function may be run directly, given its arguments."""


class DirectFunction:
    """A function that may be run directly."""

    __slots__ = ("_derives", "_when")

    def __init__(self, when: Decides | None = None, *, derives: bool = True) -> None:
        self._when = when
        """None if always."""
        self._derives = derives
        """Whether it computes new tensors."""

    def run(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], failed: Failed) -> Any:
        """Make a call, and label what it returns; `NOT_DONE` if its kernels have to be looked at.

        `failed` is told of an error of devlint's own after the call.
        """
        label, is_noted = _common((*args, *kwargs.values()) if kwargs else args)
        if label is NOT_DONE:
            return NOT_DONE
        when = _ALWAYS if self._when is None else self._when(args, kwargs)
        if (  # others look at kernels, or autograd keeps what these make
            when is _NEVER
            or not is_alone()
            or (is_grad_enabled() and not _keeps_operands(when, args, kwargs))
        ):
            return NOT_DONE
        guard = _DisableTorchDispatch()
        try:
            result = func(*args, **kwargs) if kwargs else func(*args)
        except Exception:
            return NOT_DONE  # made once more, so that the simulation has the error, or another dtype
        finally:
            del guard
        if label is None and not (is_noted and self._derives):
            return result
        try:
            if label is None:
                derive(result, args)
            elif type(result) is Tensor:
                label_new(result, label)
            else:
                _label(result, label)
        except Exception as error:  # devlint's own: the program must not notice
            failed(error)
        return result


class DirectFunctions(dict[Any, DirectFunction | None]):
    """How functions of torch are run directly; None if they never are. Those in `others` are not."""

    def __init__(self, others: Container[Any]) -> None:
        super().__init__()
        self._others = others

    def __missing__(self, func: Any) -> DirectFunction | None:
        """What is found out of torch's own functions is kept; others may come and go."""
        if func in self._others:
            return None
        if func in _KNOWN:
            self[func] = _KNOWN[func]
        elif type(func) in _BINDINGS:
            self[func] = _of_binding(func)
        return self.get(func)


def is_alone() -> bool:
    """Whether nothing else sees kernels, or keeps what they make: modes, autocast, traces."""
    return (
        _len_torch_dispatch_stack() == 1
        and not _is_any_autocast_enabled()
        and forward_ad._current_level < 0
        and _get_tracing_state() is None
    )


@cache
def _of_binding(func: Any) -> DirectFunction | None:
    """What torch's schemas say of a function that is bound to one operator."""
    packet = getattr(torch.ops.aten, func.__name__, None)
    overloads = list(_overloads(packet)) if isinstance(packet, OpOverloadPacket) else []
    if not overloads or not all(map(_follows_operands, overloads)):
        return None
    writes = any(overload._schema.is_mutable for overload in overloads)
    return DirectFunction(_without_gradients if writes else None, derives=not writes)


def _overloads(packet: Any) -> Iterator[Any]:
    """The overloads that take tensors, without those for `out=`, of TorchScript, and for names of
    dimensions, which older releases have."""
    for name in packet.overloads():
        overload = getattr(packet, name)
        arguments = overload._schema.arguments
        writes_out = any(argument.kwarg_only and argument.alias_info is not None for argument in arguments)
        types = [str(argument.type) for argument in arguments]
        takes_tensors = any("Tensor" in type_ for type_ in types)
        if takes_tensors and not writes_out and "name" not in name.lower() and _is_dispatched(overload):
            yield overload


def _follows_operands(overload: Any) -> bool:
    """Whether an overload runs one kernel, which reads nothing and puts its results where its operands lie,
    or makes views of its one operand."""
    schema = overload._schema
    kernel = Kernel(overload)
    if not kernel.is_plain or kernel.demand.on_host or kernel.demand.host_results:
        return False
    if not all("Tensor" in str(result.type) for result in schema.returns):
        return False
    if not torch._C._dispatch_has_kernel_for_dispatch_key(_qualified(schema), "CompositeImplicitAutograd"):
        return True
    operands = [argument for argument in schema.arguments if "Tensor" in str(argument.type)]
    return len(operands) == 1 and not kernel.signature.makes and not schema.is_mutable


def _is_dispatched(overload: Any) -> bool:
    return torch._C._dispatch_has_kernel(_qualified(overload._schema))


def _qualified(schema: Any) -> str:
    return f"{schema.name}.{schema.overload_name}" if schema.overload_name else str(schema.name)


def _common(values: Iterable[Any]) -> tuple[Any, bool]:
    """The label of all tensors among some arguments, and whether anything is known of one of them.

    The label is `NOT_DONE` if they differ, or if an argument is neither a plain tensor nor a number."""
    found: Any = NOT_DONE
    is_noted = False
    for value in values:
        kind = type(value)
        if kind is Tensor or kind is Parameter:
            try:
                notes = value.untyped_storage().__dict__
            except NotImplementedError:  # it has no memory of its own
                return NOT_DONE, False
            label = notes.get(LABEL)
            is_noted = is_noted or bool(notes)
        elif kind in _PLAIN_VALUES:
            continue
        elif kind is list or kind is tuple or kind is torch.Size:
            if not value or all(type(each) in _PLAIN_VALUES for each in value):
                continue
            label, has_notes = _common(value)
            if label is NOT_DONE:
                return NOT_DONE, False
            is_noted = is_noted or has_notes
        elif issubclass(kind, Tensor) and _handles_nothing(kind):
            try:
                notes = attributes_of(value)
            except NotImplementedError:
                return NOT_DONE, False
            label = notes.get(LABEL)
            is_noted = is_noted or bool(notes)
        else:
            return NOT_DONE, False
        if found is NOT_DONE:
            found = label
        elif label is not found:
            return NOT_DONE, False
    return found, is_noted


@cache
def _handles_nothing(kind: type[Tensor]) -> bool:
    """Whether a class of tensors leaves functions and kernels to torch."""
    handler = kind.__torch_function__
    is_default = getattr(handler, "__func__", handler) in (_OF_TENSORS, _disabled_torch_function_impl)
    return is_default and not handles_kernels(kind)


def _keeps_operands(when: When, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether autograd, which is on, keeps nothing of a call but operands and results, and shows them to
    nobody."""
    if _hooks_of_saved_tensors(True) is not None:
        return False
    return when is _ALWAYS or not any(map(_is_differentiable, (*args, *kwargs.values())))


def _is_differentiable(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_is_differentiable, value))
    return isinstance(value, Tensor) and value.requires_grad


def _label(result: Any, label: torch.device) -> None:
    if isinstance(result, Tensor):
        label_new(result, label)
    elif isinstance(result, (list, tuple)):
        for each in result:
            _label(each, label)


def _without_gradients(args: Sequence[Any], kwargs: Mapping[str, Any]) -> When:  # noqa: ARG001 - one of a table
    return When.WITHOUT_GRADIENTS


def _of_matrices(args: Sequence[Any], kwargs: Mapping[str, Any]) -> When:  # noqa: ARG001 - likewise
    """More dimensions are folded into two, for which memory may be copied."""
    return When.ALWAYS if all(value.dim() <= 2 for value in args[:2]) else When.WITHOUT_GRADIENTS


def _unweighted(args: Sequence[Any], kwargs: Mapping[str, Any]) -> When:  # noqa: ARG001 - likewise
    return When.ALWAYS if kwargs.get("weight") is None else When.WITHOUT_GRADIENTS


def _of_parts(args: Sequence[Any], kwargs: Mapping[str, Any]) -> When:  # noqa: ARG001 - likewise
    """Other indices than numbers and slices of them are tensors, which torch reads or writes itself."""
    index = args[1]
    return When.ALWAYS if all(map(_is_part, index if type(index) is tuple else (index,))) else When.NEVER


def _is_part(index: Any) -> bool:
    kind = type(index)
    if kind is slice:
        return type(index.start) in _BOUNDS and type(index.stop) in _BOUNDS and type(index.step) in _BOUNDS
    return kind is int or index is None or index is Ellipsis


def _of_three(args: Sequence[Any], kwargs: Mapping[str, Any]) -> When:
    """`where` of a condition alone counts elements, which the host waits for."""
    return When.ALWAYS if len(args) == 3 and not kwargs else When.NEVER


_BINDINGS = (BuiltinFunctionType, MethodDescriptorType)
_OF_TENSORS: Any = Tensor.__torch_function__.__func__  # type: ignore[attr-defined] # a function for mypy
_BOUNDS = frozenset((int, type(None)))
_PLAIN_VALUES = frozenset(
    (
        *(int, float, bool, complex, str, slice),
        *(type(None), type(Ellipsis), torch.dtype, torch.memory_format),
    )
)

_ALIASES = (
    *(torch.max, Tensor.max, torch.min, Tensor.min, torch.square, Tensor.square, functional.relu),
    *(Tensor.__pow__, Tensor.__rpow__, Tensor.__rsub__, Tensor.expand_as, Tensor.view_as),
    *(torch.mm, Tensor.mm, Tensor.float, Tensor.double, Tensor.half, Tensor.bfloat16),
    *(Tensor.int, Tensor.long, Tensor.bool),
    *(torch.softmax, Tensor.softmax, torch.log_softmax, Tensor.log_softmax),
)
"""Functions that lead to one kernel in all of their cases."""
_KNOWN: dict[Any, DirectFunction] = {
    function: DirectFunction(when)
    for functions, when in (
        (_ALIASES, None),
        ((functional.linear, torch.matmul, Tensor.matmul), _of_matrices),
        ((functional.mse_loss,), _unweighted),
        ((torch.where, Tensor.where), _of_three),
        ((Tensor.__getitem__,), _of_parts),
        ((Tensor.__rtruediv__,), _without_gradients),
    )
    for function in functions
}
"""Functions of several kernels, or that Python code leads to."""

_ATTRIBUTES = (
    *("shape", "dtype", "layout", "requires_grad", "is_leaf", "grad_fn", "grad", "ndim", "retains_grad"),
    *("is_sparse", "is_quantized", "is_nested", "_version", "output_nr", "itemsize", "is_meta"),
)
_QUESTIONS = (
    *(Tensor.size, Tensor.stride, Tensor.dim, Tensor.ndimension, Tensor.numel, Tensor.nelement),
    *(Tensor.element_size, Tensor.storage_offset, Tensor.is_contiguous, Tensor.is_inference),
    *(Tensor.is_complex, Tensor.is_floating_point, Tensor.is_signed, Tensor.__len__, Tensor.untyped_storage),
    *(torch.is_complex, torch.is_floating_point, torch.numel, torch._C._set_grad_enabled),
)
PASSIVE: frozenset[Any] = frozenset((*_QUESTIONS, *(getattr(Tensor, name).__get__ for name in _ATTRIBUTES)))
"""Functions that run no kernel: what they answer does not depend on devices."""
