import logging
from pathlib import Path
from typing import Union

import torch
from torch.utils.data import DataLoader, Dataset

log = logging.getLogger("tagger")


class ModelTrainer:
    def __init__(self, model: torch.nn.Module, corpus: Dataset, use_gpu: bool = True):
        """
        Initialize a model trainer
        :param model: The model that you want to train.
        :param corpus: The dataset used to train the model
        """
        self.device = torch.device("cuda" if use_gpu and torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.corpus = corpus

    def train(
        self,
        base_path: Union[Path, str],
        learning_rate: float = 0.1,
        mini_batch_size: int = 32,
        max_epochs: int = 100,
        use_amp: bool = False,
    ) -> Path:
        """Trains the model and returns the path of its checkpoint."""
        optimizer = torch.optim.SGD(self.model.parameters(), lr=learning_rate)
        base_path = Path(base_path)

        # mixed precision only pays on the GPU
        if self.device.type != "cpu":
            log.info("Training on %s", torch.cuda.get_device_name(self.device))
        else:
            use_amp = False

        loader = DataLoader(self.corpus, batch_size=mini_batch_size, shuffle=True)
        for epoch in range(max_epochs):
            log.info("epoch %d of %d", epoch + 1, max_epochs)
            for features, labels in loader:
                optimizer.zero_grad()
                with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=use_amp):
                    features = features.to(self.device, non_blocking=True)
                    labels = labels.to(self.device, non_blocking=True)
                    loss = self.model.forward_loss(features, labels)
                loss.backward()
                torch.nn.utils.clip_grad_norm_(self.model.parameters(), 5.0)
                optimizer.step()

        torch.save(self.model.state_dict(), base_path / "final-model.pt")
        return base_path / "final-model.pt"
