"""Masks that attention does not read, because an argument says what they contain."""

from __future__ import annotations

from devlint.source.machine.domain.values import FALSE, NONE, TRUE
from devlint.source.machine.heap.frames import Call

_CAUSAL = {
    "torch.nn.TransformerEncoder": ("mask", "is_causal", "src_key_padding_mask"),
    "torch.nn.TransformerEncoderLayer": ("src_mask", "is_causal", "src_key_padding_mask"),
    "torch.nn.TransformerDecoder": ("tgt_mask", "tgt_is_causal", "tgt_key_padding_mask"),
    "torch.nn.TransformerDecoderLayer": ("tgt_mask", "tgt_is_causal", "tgt_key_padding_mask"),
    "torch.nn.MultiheadAttention": ("attn_mask", "is_causal", "key_padding_mask"),
}
"""For each layer the mask, what says that it is causal, and the mask of padding, with which it is merged."""
_GIVES_WEIGHTS = "torch.nn.MultiheadAttention"
"""The layer that returns weights too unless it is told not to, and masks them for that."""


def mask_left_out(layer: str, call: Call) -> frozenset[str]:
    """The mask, by its keyword, that a layer of torch leaves out: it is said to be causal, and no padding is
    to be masked besides. (`torch.nn.functional.multi_head_attention_forward`; seen on simulated devices with
    torch 2.13, in training and evaluation, with gradients and without.)"""
    if layer not in _CAUSAL:
        return frozenset()
    mask, says, padding = _CAUSAL[layer]
    causal = call.value(says) == TRUE and call.value(padding) in (None, NONE)
    masks_weights = layer == _GIVES_WEIGHTS and call.value("need_weights") != FALSE
    return frozenset({mask}) if causal and not masks_weights else frozenset()
