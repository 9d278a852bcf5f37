import json
import os
from typing import Dict

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class LSTMEncoder(nn.Module):
    """
    Bidirectional LSTM over word embeddings.
    """

    def __init__(
        self, word_embedding_dimension: int, hidden_dim: int, num_layers: int = 1, dropout: float = 0
    ):
        nn.Module.__init__(self)
        self.config_keys = ["word_embedding_dimension", "hidden_dim", "num_layers", "dropout"]
        self.word_embedding_dimension = word_embedding_dimension
        self.hidden_dim = hidden_dim
        self.num_layers = num_layers
        self.dropout = dropout
        self.encoder = nn.LSTM(
            word_embedding_dimension, hidden_dim, num_layers, dropout=dropout, bidirectional=True, batch_first=True
        )

    def forward(self, features: Dict[str, Tensor]) -> Dict[str, Tensor]:
        token_embeddings = features["token_embeddings"]
        sentence_lengths = torch.clamp(features["sentence_lengths"], min=1)

        packed = pack_padded_sequence(token_embeddings, sentence_lengths, batch_first=True, enforce_sorted=False)  # error: [DL110] # also: [DL306]
        packed = self.encoder(packed)
        unpack = pad_packed_sequence(packed[0], batch_first=True)[0]  # also: [DL205]
        features.update({"token_embeddings": unpack})
        return features

    def get_word_embedding_dimension(self) -> int:
        return 2 * self.hidden_dim

    def save(self, output_path: str):
        config = {key: getattr(self, key) for key in self.config_keys}
        with open(os.path.join(output_path, "lstm_config.json"), "w") as out:
            json.dump(config, out, indent=2)
        torch.save(self.state_dict(), os.path.join(output_path, "pytorch_model.bin"))
