from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader
from transformers import AutoModel


class SentencePairClassifier:
    """
    Trains a softmax classifier on top of a sentence encoder, as for natural language inference.

    :param model_name: Name of the encoder
    :param num_labels: Number of labels
    :param device: Device that is used for training
    """

    def __init__(self, model_name: str, num_labels: int, device: str | None = None) -> None:
        if device is None:
            device = "cuda" if torch.cuda.is_available() else "cpu"
        self.device = torch.device(device)
        self.model = AutoModel.from_pretrained(model_name)
        self.model.to(self.device)
        dim = self.model.config.hidden_size
        self.head = nn.Linear(3 * dim, num_labels, device=self.device)

    def embed(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        input_ids = input_ids.to(self.device, non_blocking=True)
        attention_mask = attention_mask.to(self.device, non_blocking=True)
        hidden = self.model(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        weights = attention_mask.unsqueeze(-1).float()
        return (hidden * weights).sum(1) / weights.sum(1)

    def fit(self, loader: DataLoader, epochs: int = 1, lr: float = 2e-5) -> None:
        parameters = [*self.model.parameters(), *self.head.parameters()]
        optimizer = torch.optim.AdamW(parameters, lr=lr)
        loss_fct = nn.CrossEntropyLoss()
        for _ in range(epochs):
            for batch in loader:
                rep_a = self.embed(batch["ids_a"], batch["mask_a"])
                rep_b = self.embed(batch["ids_b"], batch["mask_b"])
                features = torch.cat([rep_a, rep_b, torch.abs(rep_a - rep_b)], 1)
                logits = self.head(features)
                loss = loss_fct(logits, batch["label"].to(self.device, non_blocking=True))
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()
