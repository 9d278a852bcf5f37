"""Functions that check devices before any kernel, or select the device of their result."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel

from devlint.simulation import errors
from devlint.simulation.calls.arguments import argument, first
from devlint.simulation.calls.moves import moved
from devlint.simulation.devices import HOST
from devlint.simulation.labels import label_of, set_label
from devlint.simulation.layer import Handler, Layer
from devlint.tensors.provenance import derive

Arguments = tuple[Any, ...]
Keywords = dict[str, Any]


def _place(tensor: Tensor) -> torch.device:
    return label_of(tensor) or HOST


def _device(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """`torch.device(1)`: an index alone means the accelerator, even without such a device."""
    passed = argument(args, kwargs, 0, "device")
    if isinstance(passed, int) and not isinstance(passed, bool) and passed >= 0:
        return torch.device(layer.devices.type, passed)
    return func(*args, **kwargs)


def _set_gradient(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """`x.grad = g` requires both on one device."""
    tensor, gradient = args
    if isinstance(gradient, Tensor):
        found, wanted = _place(gradient), _place(tensor)
        if found.type != wanted.type:
            layer.refuse(errors.gradient(found.type, wanted.type), func, args, kwargs)
        elif found != wanted:
            layer.refuse(errors.gradient_on_other_device(found.index, wanted.index), func, args, kwargs)
    return layer.scope.run(func, args, kwargs)


def _deepcopy(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """The copy is on the device of the original, as is its gradient. No kernel says of what it is one."""
    copy = layer.scope.run(func, args, kwargs)
    original = args[0]
    if label_of(original) is not None:
        set_label(copy, label_of(original))
    else:
        derive(copy, args)
    if original.grad is not None and copy.grad is not None:
        set_label(copy.grad, label_of(original.grad))
    return copy


def _attention(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """`scaled_dot_product_attention` checks its operands before it selects a kernel."""
    names = ("query", "key", "value")
    places = [_place(tensor) for tensor in (*args[:3], *(kwargs[name] for name in names[len(args) :]))]
    if len(set(places)) > 1:
        layer.refuse(errors.attention(*places), func, args, kwargs)
    if torch._C._get_flash_sdp_enabled() or torch._C._get_math_sdp_enabled():
        return layer.scope.run(func, args, kwargs)
    with sdpa_kernel(SDPBackend.MATH):  # the requested backends only exist on devices
        return layer.scope.run(func, args, kwargs)


def _recurrent(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """`torch.lstm` and similar functions require state and weights on the device of the input. With packed
    input, the second argument is the sizes."""
    state, weights = args[2:4] if isinstance(args[3], (list, tuple)) else args[1:3]
    hidden = state if isinstance(state, (list, tuple)) else [state]
    for name, tensors in (("hidden", hidden), ("parameter", weights)):
        for tensor in tensors:
            if label_of(tensor) is not label_of(args[0]):
                layer.refuse(errors.recurrent(name, _place(args[0]), _place(tensor)), func, args, kwargs)
    return layer.scope.run(func, args, kwargs)


def _unpack(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """`pad_packed_sequence` returns the lengths on the host."""
    result = layer.scope.run(func, args, kwargs)
    set_label(result[1], None)
    return result


def _matrix_rank(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    for name in ("atol", "rtol"):
        tolerance = kwargs.get(name)
        if isinstance(tolerance, Tensor) and label_of(tolerance) is not label_of(first(args, kwargs)):
            layer.refuse(
                errors.tolerance(name, _place(tolerance), _place(first(args, kwargs))), func, args, kwargs
            )
    return layer.scope.run(func, args, kwargs)


def _tensor_split(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    passed = argument(args, kwargs, 1, "tensor_indices_or_sections")
    if isinstance(passed, Tensor) and label_of(passed) is not None:
        layer.refuse(errors.sections(label_of(passed)), func, args, kwargs)
    return layer.scope.run(func, args, kwargs)


def _shape(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """The sizes of a tensor are on the host (aten/src/ATen/native/TensorShape.cpp, `_shape_as_tensor`)."""
    return layer.scope.run(func, args, kwargs, None)


def _lstsq(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    if label_of(first(args, kwargs)) is not None and kwargs.get("driver") not in (None, "gels"):
        layer.refuse(errors.driver(), func, args, kwargs)
    return layer.scope.run(func, args, kwargs)


def _ctc_loss(layer: Layer, func: Any, args: Arguments, kwargs: Keywords) -> Any:
    """Targets and lengths are moved to the device of the probabilities."""
    target = label_of(args[0])

    def there(value: Any) -> Any:
        return moved(value, target) if isinstance(value, Tensor) and label_of(value) is not target else value

    args = (args[0], *map(there, args[1:]))
    return layer.scope.run(func, args, {name: there(value) for name, value in kwargs.items()})


HANDLERS: dict[Any, Handler] = {
    vars(torch._C.TensorBase)["grad"].__set__: _set_gradient,
    Tensor.__deepcopy__: _deepcopy,
    Tensor.tensor_split: _tensor_split,
    functional.ctc_loss: _ctc_loss,
    functional.scaled_dot_product_attention: _attention,
    torch.ctc_loss: _ctc_loss,
    torch.device: _device,
    torch.gru: _recurrent,
    torch.lstm: _recurrent,
    torch.rnn_relu: _recurrent,
    torch.rnn_tanh: _recurrent,
    torch.linalg.lstsq: _lstsq,
    torch.linalg.matrix_rank: _matrix_rank,
    torch.tensor_split: _tensor_split,
    torch._shape_as_tensor: _shape,
    torch._VF._pad_packed_sequence: _unpack,
}
