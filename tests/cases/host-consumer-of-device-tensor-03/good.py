from typing import Dict, List

import numpy
import torch
from torch import nn


class SpanTagger(nn.Module):
    """
    Tags each token of a sentence.

    Parameters
    ----------
    vocab_size : ``int``
    embedding_dim : ``int``
    hidden_dim : ``int``
    labels : ``List[str]``
    """

    def __init__(self, vocab_size: int, embedding_dim: int, hidden_dim: int, labels: List[str]) -> None:
        super(SpanTagger, self).__init__()
        self.labels = labels
        self.embedder = nn.Embedding(vocab_size, embedding_dim, padding_idx=0)
        self.encoder = nn.LSTM(embedding_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.projection = nn.Linear(2 * hidden_dim, len(labels))

    def forward(self, tokens: torch.Tensor) -> Dict[str, torch.Tensor]:
        mask = (tokens != 0).long()
        encoded, _ = self.encoder(self.embedder(tokens))
        logits = self.projection(encoded)
        return {"logits": logits, "class_probabilities": logits.softmax(dim=-1), "mask": mask}

    def decode(self, output_dict: Dict[str, torch.Tensor]) -> Dict[str, List[List[str]]]:
        """
        Turns the probabilities into the most likely label of each token, without padding.
        """
        predictions = output_dict["class_probabilities"].argmax(dim=-1)
        all_tags = predictions.detach().cpu().numpy()
        mask = output_dict["mask"]
        lengths = mask.sum(1).cpu().numpy()
        decoded = []
        for tags, length in zip(all_tags, lengths):
            decoded.append([self.labels[tag] for tag in tags[:length]])
        average = float(numpy.mean(lengths))
        return {"tags": decoded, "average_length": average}
