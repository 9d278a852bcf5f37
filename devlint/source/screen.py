"""Which files can matter at all: a search for a few words in their bytes, before anything is parsed."""

from __future__ import annotations

TRIGGERS: tuple[bytes, ...] = (
    # A name of torch, torchvision, pytorch_lightning, lightning.pytorch, …
    b"torch",
    # Classes that are modules by convention, whose file need not name torch.
    b"lightning",
    b"PreTrainedModel",
    b"ModelMixin",
    # Moves, reads and passes that show a parameter to be a tensor.
    b"cuda",
    b".cpu(",
    b".to(",
    b".item(",
    b".detach(",
    b".backward(",
    b".device",
    # Settings in the environment, which are made before torch is imported.
    b"CUDA_",
)
"""A file without any of these words has no finding."""


OTHERS: tuple[bytes, ...] = (b"import paddle", b"import tensorflow", b"import jax", b"import mindspore")
"""What else has tensors with `.numpy()` and a device."""


def may_matter(data: bytes) -> bool:
    """Whether a file can have a finding. True promises nothing.

    Searches bytes, so it fits every encoding that writes these words as ASCII does, and notebooks, whose JSON
    escapes no letters.
    """
    if b"torch" not in data and any(other in data for other in OTHERS):
        return False
    return any(trigger in data for trigger in TRIGGERS)
