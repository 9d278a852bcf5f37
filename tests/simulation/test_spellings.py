"""However torch is told a device, tensors are on the simulated one where they would be on a real one.

What torch does is asked of torch itself, with the meta device in place of the accelerator.
"""

from __future__ import annotations

import inspect
import io
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.testing._internal.common_modules import ModuleInfo, module_db
from torch.utils._device import _device_constructors

from devlint.simulation import Simulation
from tests.simulation.spellings import ASKED, ELSEWHERE, FACTORIES, MOVES, ON_A_DEVICE, REFUSED

SECOND = "cuda:1"
FORMS = {"cuda:1": SECOND, torch.device("cuda:1"): SECOND, 1: SECOND, "cuda": "cuda:0"}
"""Names of a device, and which one it is."""


@pytest.fixture(autouse=True)
def _quiet() -> None:
    warnings.simplefilter("ignore")


@pytest.mark.parametrize("spelling", MOVES.split("\n")[1:-1])
def test_a_move(spelling: str) -> None:
    _is_on_each(lambda device: _evaluated(spelling, device))


@pytest.mark.parametrize("spelling", FACTORIES.split("\n")[1:-1])
def test_a_factory(spelling: str) -> None:
    with_device, without = spelling.format("device=d"), spelling.format("")
    _is_on_each(lambda device: _evaluated(with_device, device))
    _is_on_each(lambda device: inside(torch.device(device), lambda: _evaluated(without, device)))
    _is_on_each(lambda device: _with_default(device, lambda: _evaluated(without, device)))


LAYERS = [info for info in module_db if "device" in inspect.signature(info.module_cls).parameters]


@pytest.mark.parametrize("info", LAYERS, ids=lambda info: info.name)
def test_a_module(info: ModuleInfo) -> None:
    given = info.module_inputs_func(
        info, device="cpu", dtype=torch.float32, requires_grad=False, training=True
    )[0].constructor_input
    kwargs = {name: value for name, value in given.kwargs.items() if name not in ("device", "dtype")}
    _is_on_each(lambda device: info.module_cls(*given.args, **kwargs, device=device))
    _is_on_each(lambda device: info.module_cls(*given.args, **kwargs).to(device=device))


@pytest.mark.parametrize("spelling", ON_A_DEVICE.split("\n")[1:-1])
def test_what_only_accelerators_have(spelling: str) -> None:
    for form, place in FORMS.items():
        if form == "cuda" and ", [0, d]" in spelling:
            continue  # no device twice
        with Simulation("cuda", 2):
            assert _places(_evaluated(spelling, form)) == {place}, form


@pytest.mark.parametrize("spelling", ASKED.split("\n")[1:-1])
def test_a_question(spelling: str) -> None:
    with Simulation("cuda", 2):
        first, *others = [_evaluated(spelling, form) for form in FORMS]
    assert all(other == first for other in others)


@pytest.mark.parametrize(("spelling", "kind"), REFUSED.items())
def test_what_is_refused(spelling: str, kind: type[Exception]) -> None:
    for form in FORMS:
        with Simulation("cuda", 2), pytest.raises(kind):
            _evaluated(spelling, form)


def test_none_is_missing() -> None:
    told = "\n".join((MOVES, FACTORIES, ON_A_DEVICE, ASKED, *REFUSED, *ELSEWHERE.values()))
    assert set(_told_a_device()) - set(re.findall(r"\w+", told)) == set()


_MODULES: tuple[Any, ...] = (
    torch,
    torch.Tensor,
    torch.accelerator,
    torch.cuda,
    torch.fft,
    torch.nested,
    torch.nn,
    torch.nn.Module,
    torch.nn.parallel,
    torch.nn.parallel.comm,
    torch.nn.utils.rnn,
    torch.nn.utils.rnn.PackedSequence,
    torch.optim.swa_utils,
    torch.signal.windows,
    torch.serialization,
    torch.UntypedStorage,
)
_PARAMETERS = {
    "device",
    "devices",
    "device_ids",
    "destination",
    "output_device",
    "target_device",
    "map_location",
}


def _told_a_device() -> Iterator[str]:
    """Functions with a parameter for a device, by torch's schemas and Python's signatures."""
    for schema in torch._C._jit_get_all_schemas():
        space, _, name = schema.name.partition("::")
        public = name.removeprefix("fft_")
        bound = any(hasattr(owner, public) for owner in (torch, Tensor, torch.fft))
        if space == "aten" and bound and not name.startswith("_") and _takes_device(schema):
            yield public
    for function in _device_constructors():
        yield function.__name__.removeprefix("fft_")
    for module in _MODULES:
        for name, value in vars(module).items():
            if callable(value) and not name.startswith("_") and not _is_module(value):
                try:
                    parameters = set(inspect.signature(value).parameters)
                except (TypeError, ValueError):
                    continue
                if parameters & _PARAMETERS:
                    yield name


def _takes_device(schema: Any) -> bool:
    return any("Device" in str(argument.type) for argument in schema.arguments)


def _is_module(value: object) -> bool:
    """Layers are all asked."""
    return isinstance(value, type) and issubclass(value, nn.Module)


def _is_on_each(make: Callable[[Any], Any]) -> None:
    """Whether a new tensor is on the accelerator exactly if plain torch creates it on the meta device."""
    expected = _outcome(make, "meta")
    for form, place in FORMS.items():
        with Simulation("cuda", 2):
            found = _outcome(make, form)
        assert found == {place if each == "meta" else each for each in expected}, form


def _outcome(make: Callable[[Any], Any], device: Any) -> set[str]:
    try:
        return _places(make(device))
    except Exception as error:
        return {type(error).__name__}


def _places(made: Any) -> set[str]:
    if isinstance(made, nn.Module):
        return {str(tensor.device) for tensor in (*made.parameters(), *made.buffers())}
    if isinstance(made, (list, tuple)):
        return set().union(*map(_places, made))
    return {str(made.device)}


def _evaluated(spelling: str, device: Any) -> Any:
    names = {
        "d": device,
        "x": torch.ones(2, 2, device="cpu"),
        "like": torch.empty(2, 2, device=device),
        "layer": lambda: nn.BatchNorm1d(2, device="cpu"),
        "torch": torch,
        "nn": nn,
    }
    return eval(spelling, names | _HELPERS)


def inside(context: AbstractContextManager[Any], call: Callable[[], Any]) -> Any:
    """The result of a call in a context."""
    with context:
        return call()


def momenta(module: nn.Module, state: Any = None) -> torch.optim.Optimizer:
    """An optimizer that has stepped, or has the state of one that has."""
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1, momentum=0.9)
    if state is None:
        for parameter in module.parameters():
            parameter.grad = torch.ones_like(parameter)
        optimizer.step()
    else:
        optimizer.load_state_dict(state)
    return optimizer


def saved(tensor: Tensor) -> io.BytesIO:
    """A file with a tensor."""
    file = io.BytesIO()
    torch.save(tensor, file)
    file.seek(0)
    return file


def swapped(move: Callable[[], Any]) -> Any:
    """The result of a move while modules replace their parameters."""
    torch.__future__.set_swap_module_params_on_conversion(True)
    try:
        return move()
    finally:
        torch.__future__.set_swap_module_params_on_conversion(False)


def _with_default(device: Any, call: Callable[[], Any]) -> Any:
    torch.set_default_device(device)
    try:
        return call()
    finally:
        torch.set_default_device(None)


_HELPERS = {function.__name__: function for function in (inside, momenta, saved, swapped)}
