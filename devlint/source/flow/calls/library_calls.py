"""Calls of libraries beside torch, the standard one among them, that make, hand on or rearrange values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from devlint.model import CPU, Origin, OriginStep, Step
from devlint.source import ir
from devlint.source.flow.operators.binding import Handler
from devlint.source.flow.state.frame import Frame, Passed
from devlint.source.flow.state.values import (
    SCALAR,
    TOP,
    Array,
    Container,
    Loader,
    Module,
    Partial,
    Tensor,
    Value,
)


def _copy(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    """A copy of a module is another module, which moves by itself."""
    value = passed[0].value if passed else TOP
    if not isinstance(value, Module):
        return value
    return replace(value, origin=Origin((OriginStep(Step.MADE, call.id, value.device, name),)))


def _same_iterable(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    """A progress bar around an iterable."""
    value = passed[0].value if passed else TOP
    return value if isinstance(value, Loader | Container) else TOP


def _partial(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    if not passed:
        return TOP
    given = ((each.value, ir.Argument(each.expression, each.keyword, each.stars)) for each in passed[1:])
    return Partial(passed[0].value, tuple(given))


def _read_on_host(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    """A decoder of files makes host tensors."""
    return Tensor(CPU, Origin((OriginStep(Step.MADE, call.id, CPU, name),)), rank0=False)


def _read_with_rate(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    """`waveform, sample_rate = torchaudio.load(...)`."""
    return Container(TOP, ((0, _read_on_host(frame, call, name, passed)), (1, SCALAR)), mutable=False)


def _rearranged(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    """A new shape of the same values, on the same device."""
    value = passed[0].value if passed else TOP
    return replace(value, rank0=None) if isinstance(value, Tensor) else TOP


def _array(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    for argument in passed:
        given = argument.value.element if isinstance(argument.value, Container) else argument.value
        if isinstance(given, Array):
            return given
    return Array()


def _table(frame: Frame, call: ir.Call, name: str, passed: Sequence[Passed]) -> Value:
    return Array(type=name)


HANDLERS: dict[str, Handler] = {
    "copy.deepcopy": _copy,
    "functools.partial": _partial,
    "tqdm.tqdm": _same_iterable,
    "tqdm.auto.tqdm": _same_iterable,
    "tqdm.notebook.tqdm": _same_iterable,
    "rich.progress.track": _same_iterable,
    "itertools.islice": _same_iterable,
    "torchaudio.load": _read_with_rate,
    "torchvision.io.read_image": _read_on_host,
    "torchvision.io.decode_image": _read_on_host,
    "torchvision.transforms.functional.to_tensor": _read_on_host,
    "torchvision.transforms.functional.pil_to_tensor": _read_on_host,
    "einops.rearrange": _rearranged,
    "einops.reduce": _rearranged,
    "einops.repeat": _rearranged,
    "pandas.DataFrame": _table,
    "numpy.array": _array,
    "numpy.asarray": _array,
    "numpy.zeros": _array,
    "numpy.ones": _array,
    "numpy.arange": _array,
    "numpy.linspace": _array,
    "numpy.concatenate": _array,
    "numpy.stack": _array,
}
"""By canonical name."""
