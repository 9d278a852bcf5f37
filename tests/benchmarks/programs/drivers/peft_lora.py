"""Fine-tuning with peft: low-rank adapters on a tiny language model, merged and saved."""

from __future__ import annotations

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import GPT2Config, GPT2LMHeadModel

device = "cuda" if torch.cuda.is_available() else "cpu"


def main() -> None:
    """Train the adapters under mixed precision, save them, and load them into a fresh copy."""
    base = GPT2LMHeadModel(GPT2Config(vocab_size=64, n_positions=16, n_embd=32, n_layer=2, n_head=4))
    base.save_pretrained("base")
    model = get_peft_model(base, LoraConfig(r=4, lora_alpha=8, lora_dropout=0.1, fan_in_fan_out=True)).to(
        device
    )
    optimizer = torch.optim.AdamW((p for p in model.parameters() if p.requires_grad), lr=1e-2)
    scaler = torch.amp.GradScaler(device, enabled=False)
    tokens = torch.randint(0, 64, (4, 16)).to(device)
    for step in range(4):
        loss = model(input_ids=tokens, labels=tokens).loss
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        print(f"step {step}: loss {loss.item():.6f}")
    model.save_pretrained("adapters")
    fresh = PeftModel.from_pretrained(GPT2LMHeadModel.from_pretrained("base"), "adapters").to(device).eval()
    model.eval()
    with torch.no_grad():
        apart = (fresh(input_ids=tokens).logits - model(input_ids=tokens).logits).abs().max()
        merged = fresh.merge_and_unload()(input_ids=tokens, labels=tokens).loss
    print(f"loaded again: differs by {apart.item():.6f}; merged: loss {merged.item():.6f}")


if __name__ == "__main__":
    main()
