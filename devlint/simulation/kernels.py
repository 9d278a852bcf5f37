"""The mode that gets every ATen kernel: it checks operands by the rules of devices, and labels results."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import torch
from torch import Tensor
from torch._C import DisableTorchFunction, _len_torch_function_stack
from torch._ops import HigherOrderOperator
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from devlint.instrumentation.hooks import Failed
from devlint.simulation.bridge import on_another_dtype
from devlint.simulation.checks import KernelDemand
from devlint.simulation.collectives import group_position, named_group, refusal
from devlint.simulation.devices import Devices
from devlint.simulation.fallback import on_host
from devlint.simulation.labels import handles_kernels, label_new, set_label
from devlint.simulation.operands import MIXED, Mixed, Signature
from devlint.simulation.program_errors import is_for_program
from devlint.simulation.reads import BackwardReads, reading
from devlint.simulation.scope import INHERIT, CallScope, first_label
from devlint.tensors.provenance import derive

Refuse = Callable[[Exception], None]
"""Raises the error, unless a guard lets the program continue."""
Layered = Callable[[], AbstractContextManager[object]]
"""Enables the simulation's function mode."""
Read = Callable[[str, torch.device], None]
"""Called with the name of a kernel for which the host waits, and the device."""


class Kernel:
    """The facts about an overload, computed once."""

    __slots__ = (
        "by_element",
        "call",
        "demand",
        "derives",
        "factory",
        "group",
        "is_plain",
        "labels",
        "leaves_on_host",
        "lifts",
        "missing",
        "overload",
        "reads",
        "signature",
        "views",
        "wants_host",
    )

    def __init__(self, overload: Any) -> None:
        self.overload = overload
        self.call = getattr(overload, "_op", overload)
        """The function that the overload calls, without its Python wrapper."""
        self.signature = Signature(overload)
        self.demand = KernelDemand(overload, self.signature)
        self.lifts = overload is torch.ops.aten.lift_fresh.default
        """Whether it passes on a tensor that torch created from Python numbers without a kernel."""
        self.by_element = overload._schema.name.startswith("aten::_foreach_")
        self.missing = self.demand.missing
        self.wants_host = self.demand.wants_host
        self.labels = (self.signature.makes or self.lifts) and not self.demand.on_host
        self.factory = self.signature.makes and (
            self.signature.takes_device or not self.signature.has_tensors
        )
        self.derives = self.signature.makes and self.signature.has_tensors
        """Whether it computes tensors from others."""
        self.leaves_on_host = not (self.factory or self.lifts)
        """Whether its result is on the host if all operands are."""
        self.reads = reading(overload)
        self.group = group_position(overload)
        """Which argument is a process group, for functional collectives."""
        self.is_plain = not (
            self.factory
            or self.lifts
            or self.wants_host
            or self.missing is not None
            or self.reads is not None
        )
        """Whether operands on one device say where its results lie, and that nobody waits."""
        self.views = self.is_plain and self.signature.views and not overload._schema.is_mutable
        """Whether its results are parts of its one operand."""

    @property
    def name(self) -> str:
        """The name in the schema: `aten::mul.Tensor`."""
        schema = self.overload._schema
        return f"{schema.name}.{schema.overload_name}" if schema.overload_name else str(schema.name)


class Kernels(TorchDispatchMode):  # type: ignore[no-untyped-call] # torch is untyped here
    """Runs below autograd, so that gradients get labels, too.

    Function modes are disabled in here, because the engine runs kernels while they are active.
    """

    supports_higher_order_operators = True

    def __init__(
        self,
        devices: Devices,
        scope: CallScope,
        refuse: Refuse,
        read: Read,
        layered: Layered,
        failed: Failed,
    ) -> None:
        """`failed` is called with errors of devlint itself, which the program does not get."""
        super().__init__()  # type: ignore[no-untyped-call]
        self._failed = failed
        self._layered = layered
        self._devices = devices
        self._scope = scope
        self._refuse = refuse
        self._read = read
        self._kernels: dict[int, Kernel] = {}
        """By the identity of the overload, which each keeps alive, because torch computes its hash in
        Python."""
        self._backward = BackwardReads()

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """False, because the alternative would import Dynamo, which takes seconds."""
        return False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        try:
            kernel = None if types and any(map(handles_kernels, types)) else self._kernel(func)
        except Exception as error:  # devlint's own: the program must not notice
            self._failed(error)
            return on_host(self._devices, func, args, kwargs or {})
        if kernel is None and isinstance(func, HigherOrderOperator):
            return self._run_unseen(func, args, kwargs or {})
        if kernel is None:
            return self._run_by_class(func, types, args, kwargs or {})
        if _len_torch_function_stack():
            with DisableTorchFunction():
                return self._run(kernel, args, kwargs or {})
        return self._run(kernel, args, kwargs or {})

    def _kernel(self, func: Any) -> Kernel | None:
        """What is known of an overload; None of an operator that takes functions."""
        kernel = self._kernels.get(id(func))
        if kernel is None and not isinstance(func, HigherOrderOperator):
            kernel = self._kernels[id(func)] = Kernel(func)
        return kernel

    def _run_by_class(self, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Pass a kernel to the class of an operand that handles it; the kernels that the class calls are
        simulated.

        The class gets the requested device here, because torch's functions would initialize CUDA for it.
        """
        if "device" in kwargs and isinstance(self._scope.asked, torch.device):
            kwargs = kwargs | {"device": self._scope.asked}
        with self, self._layered():
            for owner in filter(handles_kernels, types):
                result = owner.__torch_dispatch__(func, types, args, kwargs)
                if result is not NotImplemented:
                    return result
        return NotImplemented

    def _run_unseen(self, operator: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run an operator that takes functions, without simulating these. Results are on the device of the
        operands."""
        label = first_label((*args, *kwargs.values()))
        result = operator(*args, **kwargs)
        if label is not None:
            for leaf in tree_leaves(result):
                _label(leaf, label)
        return result

    def _run(self, kernel: Kernel, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if kernel.views and args and isinstance(args[0], Tensor) and args[0].layout is torch.strided:
            return kernel.call(*args, **kwargs)
        try:
            if kernel.group is not None:
                self._judge_collective(kernel, args, kwargs)
            common = kernel.signature.common(args, kwargs)
            by_element = common is MIXED and kernel.by_element
            label = None
            if not by_element and not (common is None and kernel.leaves_on_host):
                label, kwargs = self._foreseen(kernel, common, args, kwargs)
        except Exception as error:
            return self._instead(error, kernel, args, kwargs)
        if by_element:
            return self._run_by_element(kernel, args, kwargs)
        if label is None:
            result = kernel.call(*args, **kwargs)
            if kernel.derives:
                self._derive(result, args)
            return result
        try:
            result = kernel.call(*args, **kwargs)
        except (NotImplementedError, RuntimeError) as error:
            result = on_another_dtype(kernel.overload, args, kwargs, error)
        try:
            _label_result(kernel, result, label)
        except Exception as error:  # devlint's own: the program must not notice
            self._failed(error)
        return result

    def _derive(self, result: Any, args: tuple[Any, ...]) -> None:
        try:
            derive(result, args)
        except Exception as error:  # devlint's own: the program must not notice
            self._failed(error)

    def _instead(
        self, error: Exception, kernel: Kernel, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """The CPU's result for a kernel before which an error was raised, if devlint has failed."""
        try:
            if is_for_program(error):
                raise error
            self._failed(error)
            return on_host(self._devices, kernel.overload, args, kwargs)
        finally:
            del error  # its traceback has this frame, so that both would keep the operands alive

    def _foreseen(
        self,
        kernel: Kernel,
        common: torch.device | Mixed | None,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> tuple[torch.device | None, dict[str, Any]]:
        """The label of a kernel's result, and its arguments with the real device.

        Raises:
            Exception: CUDA's error for operands on wrong devices, or the error of a guard that does not
                allow the wait.
        """
        label: torch.device | None
        if kernel.is_plain and common is not MIXED and common is not None:
            if self._backward.reads():
                self._read(kernel.name, common)
            return common, kwargs
        if common is MIXED or (common is not None and kernel.wants_host):
            label = self._judged(kernel, args, kwargs)
        else:
            label = common
        if kernel.factory:
            label, kwargs = self._asked(kernel, label, kwargs)
        elif kernel.lifts and label is None and self._scope.asked is INHERIT:
            label = self._scope.label()
        if label is None:
            return None, kwargs
        if (missing := kernel.missing) is not None:
            self._refuse(missing)
        if (kernel.reads is not None and kernel.reads(args, kwargs)) or self._backward.reads():
            self._read(kernel.name, label)
        return label, kwargs

    def _judged(self, kernel: Kernel, args: tuple[Any, ...], kwargs: dict[str, Any]) -> torch.device | None:
        """The label of a kernel's result for operands on several devices, if it permits them."""
        label, error = kernel.demand.judge(self._scope.function, args, kwargs)
        try:
            if error is not None:
                self._refuse(error)
        finally:
            del error  # its traceback has this frame, so that both would keep the operands alive
        return label

    def _judge_collective(self, kernel: Kernel, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Refuse tensors that the process group of a functional collective does not take."""
        assert kernel.group is not None
        group = named_group(args[kernel.group] if kernel.group < len(args) else kwargs.get("group_name"))
        tensors = [operand.tensor for operand in kernel.signature.operands(args, kwargs)]
        error = None if group is None else refusal(group, tensors, self._devices.type)
        if error is not None:
            self._refuse(error)

    def _run_by_element(self, kernel: Kernel, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run a kernel over lists by element, because different elements may be on different devices."""
        labels = []
        for one, options in kernel.signature.elements(args, kwargs):
            common = kernel.signature.common(one, options)
            if common is MIXED:
                common = self._judged(kernel, one, options)
            labels.append(common)
        results = kernel.overload(*args, **kwargs)
        for label, result in zip(labels, results if kernel.labels else (), strict=False):
            if label is not None:
                _label(result, label)
        return results

    def _asked(
        self, kernel: Kernel, operands: torch.device | None, kwargs: dict[str, Any]
    ) -> tuple[torch.device | None, dict[str, Any]]:
        """The label of a factory's result, and its arguments with the real device.

        Without a requested device, the result is on that of the kernel's operands, or of the function's if it
        has none.
        """
        device = kwargs.get("device")
        if device is not None and device.type == self._devices.type:
            place = self._devices.place(device)
            return place, kwargs | {"device": self._devices.real(place)}
        if device is not None and device.type != "cpu":
            return None, kwargs
        if self._scope.asked is not INHERIT:
            return self._scope.label(), kwargs
        return (operands if kernel.signature.has_tensors else self._scope.label()), kwargs


def _label_result(kernel: Kernel, result: Any, label: torch.device) -> None:
    if kernel.labels:
        _label(result, label)
        for position in kernel.demand.host_results:
            set_label(result[position], None)
    elif isinstance(result, Tensor) and result.layout is not torch.strided:
        # Kernels that view or change the memory of a dense tensor create new parts of a sparse one.
        _label(result, label)


def _label(result: Any, label: torch.device) -> None:
    if isinstance(result, Tensor):
        label_new(result, label)
    elif isinstance(result, (list, tuple)):
        for item in result:
            _label(item, label)
