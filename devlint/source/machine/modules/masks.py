"""Masks that attention does not read because an argument describes their content."""

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
"""For each layer: the mask, the argument that declares it causal, and the padding mask, with which it is
merged."""
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
