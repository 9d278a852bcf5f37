"""The screen: a search for a few words in the bytes of a file, which decides whether it is parsed."""

from __future__ import annotations

OF_TORCH: tuple[bytes, ...] = (
    # A name of torch, torchvision, pytorch_lightning, lightning.pytorch, …
    b"torch",
    # Classes that are modules by convention, whose file need not name torch.
    b"lightning",
    b"PreTrainedModel",
    b"ModelMixin",
    # Settings in the environment, which are made before torch is imported.
    b"CUDA_",
)
"""A file with one of these words may have a finding."""
OF_TENSORS: tuple[bytes, ...] = (
    b"cuda",
    b".cpu(",
    b".to(",
    b".item(",
    b".detach(",
    b".backward(",
    b".device",
)
"""Moves, reads and calls that show that a parameter is a tensor, if no other library with tensors is in the
file."""
OF_OTHERS: tuple[bytes, ...] = (b"import paddle", b"import tensorflow", b"import jax", b"import mindspore")
"""Other libraries whose tensors have a device and `.numpy()`."""


def may_matter(data: bytes) -> bool:
    """Whether a file may have a finding.

    Searches bytes, so it works for every encoding that writes these words as ASCII does, and for notebooks,
    because JSON escapes no letters.
    """
    if any(word in data for word in OF_TORCH):
        return True
    return any(word in data for word in OF_TENSORS) and not any(word in data for word in OF_OTHERS)
