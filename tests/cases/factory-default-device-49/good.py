from typing import Any, Dict

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


class PolicyTrainer:
    """Fine-tunes a causal language model on completions and their advantages.

    Args:
        model: The policy.
        train_dataset: Dataset of tokenised completions.
        learning_rate: Learning rate of AdamW.
    """

    def __init__(self, model: nn.Module, train_dataset, collator, batch_size: int = 8, learning_rate: float = 1e-6):
        self.accelerator = Accelerator()
        optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
        loader = DataLoader(train_dataset, batch_size=batch_size, shuffle=True, collate_fn=collator)
        self.model, self.optimizer, self.loader = self.accelerator.prepare(model, optimizer, loader)

    def completion_stats(self, completion_mask: torch.Tensor) -> Dict[str, torch.Tensor]:
        """Completions over all processes, and their mean length."""
        lengths = completion_mask.sum(1)
        counts = self.accelerator.gather(torch.tensor(len(lengths), device=lengths.device))
        lengths = self.accelerator.gather(lengths)
        return {"num_completions": counts.sum(), "mean_length": lengths.sum() / counts.sum()}

    def compute_loss(self, batch: Dict[str, Any]) -> torch.Tensor:
        outputs = self.model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"])
        logp = torch.log_softmax(outputs.logits[:, :-1], dim=-1)
        logp = logp.gather(2, batch["input_ids"][:, 1:, None]).squeeze(2)
        logp = (logp * batch["attention_mask"][:, 1:]).sum(1)
        return -(logp * batch["advantages"]).mean()

    def train(self, num_epochs: int = 1) -> None:
        self.model.train()
        for _ in range(num_epochs):
            for batch in self.loader:
                loss = self.compute_loss(batch)
                self.accelerator.backward(loss)
                self.optimizer.step()
                self.optimizer.zero_grad()
