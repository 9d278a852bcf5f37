"""The errors of torch about devices, with their texts.

Types and texts are those of torch 2.13's CUDA build, read from the errors that it raises without a GPU.
"""

from __future__ import annotations

import torch

_NAMES = {"cuda": "CUDA", "xpu": "XPU", "mps": "MPS"}


def argument(method: str, name: str, device: object, others: object) -> RuntimeError:
    """An operand that must be on the device of a kernel's other operands; `method` is the checking
    function."""
    return RuntimeError(
        f"Expected all tensors to be on the same device, but got {name} is on {device}, different from other "
        f"tensors on {others} (when checking argument in method {method})"
    )


def iterator(common: object, other: object) -> RuntimeError:
    """Operands of an elementwise kernel."""
    return RuntimeError(
        "Expected all tensors to be on the same device, but found at least two devices, "
        f"{common} and {other}!"
    )


def output(wanted: object, found: object) -> RuntimeError:
    """An `out=` on another device."""
    return RuntimeError(f"Expected out tensor to have device {wanted}, but got {found} instead")


def index(device: object) -> RuntimeError:
    """An index that is neither on the host nor on the device of the indexed tensor."""
    return RuntimeError(
        f"indices should be either on cpu or on the same device as the indexed tensor ({device})"
    )


def mask(mask: object, tensor: object) -> RuntimeError:
    """The mask of `masked_fill`."""
    return RuntimeError(
        f"expected self and mask to be on the same device, but got mask on {mask} and self on {tensor}"
    )


def convolution(what: str, input_type: str, other_type: str) -> RuntimeError:
    """The weight or bias of a convolution, on another device than its input."""
    return RuntimeError(f"Input type ({input_type}) and {what} type ({other_type}) should be the same")


def convolution_on_host(input_type: str, weight_type: str) -> RuntimeError:
    """A convolution of a host tensor, which MKLDNN computes."""
    return RuntimeError(
        f"Input type ({input_type}) and weight type ({weight_type}) should be the same or input should be a "
        "MKLDNN tensor and weight is a dense tensor"
    )


def scalar(kernel: str, name: str) -> RuntimeError:
    """A 0-dim host operand that a kernel does not read from the host, although it does another one."""
    swap = (
        " However, CPU Scalar support for tensor2 is supported, please swap your tensor1 and tensor2 terms."
        if name == "tensor1"
        else ""
    )
    return RuntimeError(
        f"CPU Scalar support for {name} argument is not supported when calling {kernel} on CUDA tensors."
        + swap
    )


def distance(one: str, other: str) -> RuntimeError:
    """Operands of `cdist`, if it multiplies matrices."""
    return RuntimeError(f"X1 and X2 must have the same device type. X1: {one} X2: {other}")


def value(wanted: object, found: object) -> RuntimeError:
    """A value that is written through an index."""
    return RuntimeError(f"expected device {wanted} but got device {found} for value tensor")


def attention(query: object, key: object, value: object) -> RuntimeError:
    """Operands of `scaled_dot_product_attention`."""
    return RuntimeError(
        "Expected query, key, and value to have the same device type, but got "
        f"query.device: {query} key.device: {key} and value.device: {value} instead."
    )


def generator(wanted: str, found: str) -> RuntimeError:
    """A generator of another device type."""
    return RuntimeError(f"Expected a '{wanted}' device type for generator but found '{found}'")


def lengths(rank: int, device: object, dtype: str) -> RuntimeError:
    """The lengths of `pack_padded_sequence`, which must be on the host."""
    return RuntimeError(
        f"'lengths' argument should be a 1D CPU int64 tensor, but got {rank}D {device} {dtype} tensor"
    )


def host_argument(name: str, device: object) -> RuntimeError:
    """Another argument that must be on the host."""
    return RuntimeError(f"expected {name} to be on cpu, but it is on {device}")


def no_kernel(kernel: str, backend: str) -> NotImplementedError:
    """A kernel that exists for the CPU but not for CUDA. Torch's full text also lists the backends that have
    it."""
    return NotImplementedError(
        f"Could not run '{kernel}' with arguments from the '{backend}' backend. This could be because the "
        "operator doesn't exist for this backend, or was omitted during the selective/custom build process "
        "(if using custom build)."
    )


def tolerance(name: str, tolerance: object, tensor: object) -> RuntimeError:
    """A tolerance of `matrix_rank`."""
    return RuntimeError(
        f"torch.linalg.matrix_rank: Expected {name} and input tensors to be on the same device, but got "
        f"{name} on {tolerance} and input on {tensor}"
    )


def sections(device: object) -> RuntimeError:
    """The indices or sections of `tensor_split`, which must be on the host."""
    return RuntimeError(
        f"tensor_split expected tensor_indices_or_sections to be on cpu, but it's on {device}"
    )


def driver() -> RuntimeError:
    """A driver of `lstsq` that CUDA lacks."""
    return RuntimeError("torch.linalg.lstsq: `driver` other than `gels` is not supported on CUDA")


def recurrent(name: str, source: object, found: object) -> RuntimeError:
    """The state or weights of a recurrent layer."""
    return RuntimeError(
        f"Input and {name} tensors are not at the same device, found input tensor at {source} and {name} "
        f"tensor at {found}"
    )


def array(device: object) -> TypeError:
    """A tensor that NumPy cannot read."""
    return TypeError(
        f"can't convert {device} device type tensor to numpy. "
        "Use Tensor.cpu() to copy the tensor to host memory first."
    )


def pinning(tensor_type: str) -> RuntimeError:
    """A tensor that is not in host memory."""
    return RuntimeError(f"cannot pin '{tensor_type}' only dense CPU tensors can be pinned")


def gradient(gradient: str, tensor: str) -> RuntimeError:
    """A gradient of another device type than its tensor."""
    return RuntimeError(
        f"attempting to assign a gradient with device type '{gradient}' to a tensor with device type "
        f"'{tensor}'. Please ensure that the gradient and the tensor are on the same device"
    )


def gradient_on_other_device(gradient: int, tensor: int) -> RuntimeError:
    """A gradient on another device of its tensor's type. Torch formats the ordinals as characters, so that
    the text ends at an ordinal 0."""
    text = (
        f"attempting to assign a gradient located on device with index '{chr(gradient)}' to a tensor located "
        f"on device with index '{chr(tensor)}'. Please ensure that the gradient and the tensor are on the "
        "same device"
    )
    return RuntimeError(text.partition("\0")[0])


def unsupported_by_numpy() -> RuntimeError:
    """A tensor that NumPy gets by DLPack."""
    return RuntimeError("Unsupported device in DLTensor.")


def random_state() -> TypeError:
    """The state of a generator, if it is not on the host."""
    return TypeError("RNG state must be a torch.ByteTensor")


def lengths_of_segments() -> RuntimeError:
    """The lengths of `segment_reduce`, on another device than its data."""
    return RuntimeError(
        "Expected data.get_device() == lengths_value.get_device() to be true, but got false.  "
        "(Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"
    )


def storage(tensor: object, source: object) -> RuntimeError:
    """A tensor whose storage is set to memory of another device."""
    return RuntimeError(
        f'Attempted to set the storage of a tensor on device "{tensor}" to a storage on different device '
        f'"{source}".  This is no longer allowed; the devices must match.'
    )


def meta(device: object, expected: object) -> RuntimeError:
    """Operands of which one is on the meta device, which only has shapes."""
    return RuntimeError(f"Tensor on device {device} is not on the expected device {expected}!")


def legacy(wanted: tuple[str, object], found: tuple[str, object]) -> TypeError:
    """A tensor passed to a legacy constructor; of both, dtype in C++ and device."""

    def options(dtype: str, device: object) -> str:
        return (
            f"TensorOptions(dtype={dtype}, device={device}, layout=Strided, requires_grad=false (default), "
            "pinned_memory=false (default), memory_format=(nullopt))"
        )

    return TypeError(f"expected {options(*wanted)} (got {options(*found)})")


def invalid_gradient(place: int, wanted: object, found: object) -> RuntimeError:
    """A gradient passed to backward, on another device than its output."""
    return RuntimeError(f"invalid gradient at index {place} - expected device {wanted} but got {found}")


def output_on_other_device(text: str, output: object, source: object) -> RuntimeError:
    """An `out=` that a function compares itself, with its own text."""
    return RuntimeError(text.format(out=output, input=source))


def export(index: int, current: int) -> BufferError:
    """A tensor that is not on the current device, which DLPack requires."""
    return BufferError(
        "Can't export tensors on a different CUDA device index. "
        f"Expected: {index}. Current device: {current}."
    )


def parts(indices: str, values: torch.device, place: torch.device) -> RuntimeError:
    """Indices of a sparse tensor, on another device than its values."""
    if indices == "indices":
        method = "wrapper_SparseCUDA___sparse_coo_tensor_with_dims_and_tensors"
        return argument(method, "values", values, place)
    return RuntimeError(f"Values and {indices} need to be on the same device.")


def legacy_device(wanted: str, found: str) -> RuntimeError:
    """A device passed to a legacy constructor, which creates tensors on one device type only."""
    return RuntimeError(
        f"legacy constructor expects device type: {wanted} but device type: {found} was passed"
    )


def invalid_ordinal(type: str) -> Exception:  # noqa: A002 - torch.device calls it so
    """An ordinal without a device. Before torch 2.8, a plain RuntimeError."""
    kind = getattr(torch, "AcceleratorError", RuntimeError)
    raised: Exception = kind(
        f"{_NAMES[type]} error: invalid device ordinal\n"
        "GPU device may be out of range, do you have enough GPUs?\n"
        f"{_NAMES[type]} kernel errors might be asynchronously reported at some other API call, so the "
        "stacktrace below might be incorrect.\n"
        "For debugging consider passing CUDA_LAUNCH_BLOCKING=1\n"
        "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
    )
    return raised


def forked(type: str) -> RuntimeError:  # noqa: A002 - torch.device calls it so
    """A device used in a forked process."""
    name = _NAMES[type]
    return RuntimeError(
        f"Cannot re-initialize {name} in forked subprocess. To use {name} with multiprocessing, you must use "
        "the 'spawn' start method"
    )


def no_backend(type: str) -> RuntimeError:  # noqa: A002 - torch.device calls it so
    """A tensor passed to a process group without a backend for its device: `ProcessGroup::getBackend` in
    torch/csrc/distributed/c10d/ProcessGroup.cpp."""
    return RuntimeError(f"No backend type associated with device type {type}")


def checkpoint(type: str, index: int, count: int) -> RuntimeError:  # noqa: A002 - torch.device calls it so
    """A checkpoint of more devices than there are."""
    return RuntimeError(
        f"Attempting to deserialize object on {_NAMES[type]} device {index} but torch.{type}.device_count() "
        f"is {count}. Please use torch.load with map_location to map your storages to an existing device."
    )
