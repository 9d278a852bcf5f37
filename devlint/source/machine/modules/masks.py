"""Masks of attention: those that an argument describes, and those that the host looks at."""

from __future__ import annotations

from devlint.model import Cause, Confidence
from devlint.source.machine.domain.lattice import least_sure
from devlint.source.machine.domain.serials import new_serial
from devlint.source.machine.domain.tensors import tensor_of
from devlint.source.machine.domain.values import FALSE, NONE, TRUE, changed
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.operators.waits import note_wait

_CAUSAL = {
    "torch.nn.TransformerEncoder": ("mask", "is_causal", "src_key_padding_mask"),
    "torch.nn.TransformerEncoderLayer": ("src_mask", "is_causal", "src_key_padding_mask"),
    "torch.nn.TransformerDecoder": ("tgt_mask", "tgt_is_causal", "tgt_key_padding_mask"),
    "torch.nn.TransformerDecoderLayer": ("tgt_mask", "tgt_is_causal", "tgt_key_padding_mask"),
    "torch.nn.MultiheadAttention": ("attn_mask", "is_causal", "key_padding_mask"),
}
"""For each layer: the mask, the argument that declares it causal, and the padding mask, with which it is
merged."""
_COMPARED = {
    "torch.nn.TransformerEncoder": ((("mask", 1), ("is_causal", 3)),),
    "torch.nn.TransformerDecoder": ((("tgt_mask", 2), ("tgt_is_causal", 6)),),
    "torch.nn.Transformer": (
        (("src_mask", 2), ("src_is_causal", 8)),
        (("tgt_mask", 3), ("tgt_is_causal", 9)),
    ),
}
"""For each stack of layers: its masks, and what says whether they are causal, with their positions."""
_GIVES_WEIGHTS = "torch.nn.MultiheadAttention"
"""The layer that returns weights by default, and applies the mask for them."""


def mask_left_out(layer: str, call: Call) -> frozenset[str]:
    """The keyword of the mask that a layer of torch ignores: it is declared causal, and there is no padding
    mask.

    (`torch.nn.functional.multi_head_attention_forward`; observed on simulated devices with torch 2.13, in
    training and evaluation, with and without gradients.)
    """
    if layer not in _CAUSAL:
        return frozenset()
    mask, says, padding = _CAUSAL[layer]
    causal = call.value(says) == TRUE and call.value(padding) in (None, NONE)
    masks_weights = layer == _GIVES_WEIGHTS and call.value("need_weights") != FALSE
    return frozenset({mask}) if causal and not masks_weights else frozenset()


def note_comparisons(machine: Machine, layer: str, call: Call) -> None:
    """Record that a stack of layers compares a mask with a causal one, and that the host branches on the
    result.

    It does so unless the call says whether the mask is causal, and for masks of two dimensions only
    (`_detect_is_causal_mask` in torch/nn/modules/transformer.py).
    """
    for mask, says in _COMPARED.get(layer, ()):
        passed = call.argument(*mask)
        tensor = None if passed is None else tensor_of(passed.value)
        if passed is None or tensor is None or call.value(*says) not in (None, NONE):
            continue
        if tensor.shape is None or len(tensor.shape) == 2:
            sure = Confidence.LIKELY if tensor.shape is None else Confidence.CERTAIN
            compared = changed(tensor, serial=new_serial(), confidence=least_sure(tensor.confidence, sure))
            note_wait(machine, call.site, layer, Cause.BRANCH, compared, passed, mask[0])
