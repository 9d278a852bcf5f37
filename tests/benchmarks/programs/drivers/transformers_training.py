"""A few training steps of tiny models of transformers: `transformers_training.py FAMILY`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import torch
import transformers

STEPS = 3
BATCH = 2
LENGTH = 12
VOCABULARY = 64
SMALL = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}


def tokens() -> dict[str, torch.Tensor]:
    """Random tokens, the second sequence shorter than the first, with themselves as labels."""
    ids = torch.randint(3, VOCABULARY, (BATCH, LENGTH))
    mask = torch.ones_like(ids)
    mask[1, LENGTH // 2 :] = 0
    return {"input_ids": ids, "attention_mask": mask, "labels": ids.masked_fill(mask == 0, -100)}


def classified_tokens() -> dict[str, torch.Tensor]:
    """Random tokens with a class each sequence."""
    return {**tokens(), "labels": torch.randint(0, 2, (BATCH,))}


def pictures() -> dict[str, torch.Tensor]:
    """Random pictures with a class each."""
    return {"pixel_values": torch.randn(BATCH, 3, 32, 32), "labels": torch.randint(0, 2, (BATCH,))}


def sound() -> dict[str, torch.Tensor]:
    """Random spectra with a transcript each."""
    return {
        "input_features": torch.randn(BATCH, 8, 40),
        "labels": torch.randint(3, VOCABULARY, (BATCH, LENGTH)),
    }


def pictures_and_tokens() -> dict[str, torch.Tensor]:
    """Random pictures, each with a caption."""
    ids = tokens()
    return {
        "pixel_values": pictures()["pixel_values"],
        "input_ids": ids["input_ids"],
        "attention_mask": ids["attention_mask"],
        "return_loss": True,
    }


def bert() -> transformers.PreTrainedModel:
    return transformers.BertForSequenceClassification(transformers.BertConfig(**SMALL))


def t5() -> transformers.PreTrainedModel:
    config = transformers.T5Config(
        vocab_size=VOCABULARY,
        d_model=32,
        d_kv=8,
        d_ff=48,
        num_layers=2,
        num_heads=4,
        decoder_start_token_id=0,
    )
    return transformers.T5ForConditionalGeneration(config)


def llama() -> transformers.PreTrainedModel:
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**SMALL, num_key_value_heads=2))


def mixtral() -> transformers.PreTrainedModel:
    config = transformers.MixtralConfig(
        **SMALL, num_key_value_heads=2, num_local_experts=4, num_experts_per_tok=2, output_router_logits=True
    )
    return transformers.MixtralForCausalLM(config)


def mamba() -> transformers.PreTrainedModel:
    config = transformers.MambaConfig(
        vocab_size=VOCABULARY, hidden_size=32, num_hidden_layers=2, state_size=4
    )
    return transformers.MambaForCausalLM(config)


def vit() -> transformers.PreTrainedModel:
    shape = {key: value for key, value in SMALL.items() if key.endswith(("size", "layers", "heads"))}
    del shape["vocab_size"]
    return transformers.ViTForImageClassification(
        transformers.ViTConfig(**shape, image_size=32, patch_size=8)
    )


def whisper() -> transformers.PreTrainedModel:
    config = transformers.WhisperConfig(
        vocab_size=VOCABULARY,
        d_model=32,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=48,
        decoder_ffn_dim=48,
        num_mel_bins=8,
        max_source_positions=20,
        max_target_positions=32,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=1,
        suppress_tokens=None,
        begin_suppress_tokens=None,
    )
    return transformers.WhisperForConditionalGeneration(config)


def clip() -> transformers.PreTrainedModel:
    tower = {key: SMALL[key] for key in ("hidden_size", "intermediate_size", "num_hidden_layers")}
    tower["num_attention_heads"] = 4
    config = transformers.CLIPConfig(
        text_config={**tower, "vocab_size": VOCABULARY, "max_position_embeddings": 32, "eos_token_id": 2},
        vision_config={**tower, "image_size": 32, "patch_size": 8},
        projection_dim=16,
    )
    return transformers.CLIPModel(config)


FAMILIES: dict[str, tuple[Callable[[], transformers.PreTrainedModel], Callable[[], dict[str, Any]]]] = {
    "bert": (bert, classified_tokens),
    "t5": (t5, tokens),
    "llama": (llama, tokens),
    "mixtral": (mixtral, tokens),
    "mamba": (mamba, tokens),
    "vit": (vit, pictures),
    "whisper": (whisper, sound),
    "clip": (clip, pictures_and_tokens),
}


def main() -> None:
    """Train one family and print its losses."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("family", choices=FAMILIES)
    make_model, make_batch = FAMILIES[parser.parse_args().family]
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = make_model().to(device).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    schedule = transformers.get_linear_schedule_with_warmup(optimizer, 1, STEPS)
    batch = {
        name: value.to(device, non_blocking=True) if isinstance(value, torch.Tensor) else value
        for name, value in make_batch().items()
    }
    for step in range(STEPS):
        loss = model(**batch).loss
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        print(f"step {step}: loss {loss.item():.6f}, norm of the gradients {norm.item():.5f}")
    model.eval()
    with torch.no_grad():
        print(f"afterwards: {model(**batch).loss.item():.6f}")


if __name__ == "__main__":
    main()
