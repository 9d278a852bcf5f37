import numpy as np
import torch
from torch import Tensor, nn


class EntityRanker(nn.Module):
    """Ranks the entities of a knowledge graph for a head and a relation."""

    def __init__(self, num_entities: int, num_relations: int, hidden_channels: int):
        super().__init__()
        self.num_entities = num_entities
        self.entity = nn.Embedding(num_entities, hidden_channels)
        self.relation = nn.Embedding(num_relations, hidden_channels)
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.xavier_uniform_(self.entity.weight)
        nn.init.xavier_uniform_(self.relation.weight)

    def forward(self, head_index: Tensor, rel_type: Tensor) -> Tensor:
        query = self.entity(head_index) * self.relation(rel_type)
        return query @ self.entity.weight.t()

    @torch.no_grad()
    def recall(self, head: int, rel: int, tails: np.ndarray, k: int = 10) -> float:
        r"""Share of the true tails of one query that are among the best
        :obj:`k` entities.

        Args:
            head (int): The head entity.
            rel (int): The relation.
            tails (numpy.ndarray): The true tail entities.
            k (int, optional): Number of candidates. (default: :obj:`10`)
        """
        device = self.entity.weight.device
        head_index = torch.tensor([head], device=device)
        rel_type = torch.tensor([rel], device=device)
        index = self(head_index, rel_type).topk(k, dim=-1).indices.view(-1)
        found = np.isin(tails, index)  # error: [DL107]
        return float(found.mean())
