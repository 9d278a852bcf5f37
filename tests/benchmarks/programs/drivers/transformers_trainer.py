"""Transformers' own `Trainer`, over accelerate: a tiny GPT-2, accumulation, evaluation, a checkpoint."""

from __future__ import annotations

import torch
import transformers
from torch.utils.data import Dataset

VOCABULARY = 64
LENGTH = 16


class RandomTokens(Dataset):
    """Sequences of random tokens."""

    def __init__(self, size: int) -> None:
        self.tokens = torch.randint(0, VOCABULARY, (size, LENGTH))

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        return {"input_ids": self.tokens[index], "labels": self.tokens[index]}


def main() -> None:
    """Train, evaluate, resume, and print what was logged, without times."""
    config = transformers.GPT2Config(
        vocab_size=VOCABULARY, n_positions=LENGTH, n_embd=32, n_layer=2, n_head=4
    )
    settings = transformers.TrainingArguments(
        output_dir="output",
        max_steps=6,
        per_device_train_batch_size=4,
        gradient_accumulation_steps=2,
        logging_steps=1,
        eval_strategy="steps",
        eval_steps=3,
        save_steps=3,
        report_to=[],
        disable_tqdm=True,
        dataloader_num_workers=0,
        log_level="error",
    )
    trainer = transformers.Trainer(
        model=transformers.GPT2LMHeadModel(config),
        args=settings,
        train_dataset=RandomTokens(48),
        eval_dataset=RandomTokens(8),
    )
    trainer.train()
    trainer.train(resume_from_checkpoint="output/checkpoint-3")
    for entry in trainer.state.log_history:
        print(
            {
                name: value
                for name, value in entry.items()
                if "runtime" not in name and "per_second" not in name
            }
        )


if __name__ == "__main__":
    main()
