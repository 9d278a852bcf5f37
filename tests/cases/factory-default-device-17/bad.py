import torch
import torch.nn as nn
import torch.nn.functional as F


class LinkPredictor(nn.Module):
    def __init__(self, in_feats, hidden_feats):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(in_feats, hidden_feats),
            nn.ReLU(),
            nn.Linear(hidden_feats, 1),
        )

    def forward(self, h_src, h_dst):
        return self.layers(h_src * h_dst).squeeze(-1)


@torch.no_grad()
def evaluate_links(predictor, node_emb, seeds, labels, batch_size=4096):
    """Loss of the predicted scores of all seed edges.

    Parameters
    ----------
    predictor : LinkPredictor
    node_emb : torch.Tensor
        Node embeddings, (N, D).
    seeds : torch.Tensor
        Source and destination of each edge, (E, 2).
    labels : torch.Tensor
        1 for a positive edge, 0 for a negative one, (E,).
    """
    num_edges = seeds.shape[0]
    preds = torch.empty(num_edges)  # error: [DL102]
    for start in range(0, num_edges, batch_size):
        end = min(start + batch_size, num_edges)
        src, dst = seeds[start:end].unbind(1)
        preds[start:end] = predictor(node_emb[src], node_emb[dst])  # also: [DL205]
    return F.binary_cross_entropy_with_logits(preds, labels)
