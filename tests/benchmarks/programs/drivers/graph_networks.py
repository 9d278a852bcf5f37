"""Networks of torch_geometric on random graphs: node classes, and classes of batched graphs."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GAT, GCN, GIN, GraphSAGE, TopKPooling, global_mean_pool
from torch_geometric.utils import add_self_loops, dropout_edge, to_undirected

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
CLASSES = 4
FEATURES = 12


def graph(nodes: int) -> Data:
    """A random graph."""
    edges = to_undirected(torch.randint(0, nodes, (2, 2 * nodes)))
    return Data(torch.randn(nodes, FEATURES), edges, y=torch.randint(0, CLASSES, (nodes,)))


def classify_nodes() -> None:
    """Three steps of each kind of network on one graph."""
    data = graph(80).to(device)
    for kind in (GCN, GAT, GIN, GraphSAGE):
        model = kind(FEATURES, 16, num_layers=2, out_channels=CLASSES, dropout=0.3).to(device)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        train = torch.rand(80, device=device) < 0.5
        for step in range(3):
            edges, _ = dropout_edge(data.edge_index, p=0.1)
            edges, _ = add_self_loops(edges, num_nodes=data.num_nodes)
            loss = F.cross_entropy(model(data.x, edges)[train], data.y[train])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            print(f"{kind.__name__} step {step}: loss {loss.item():.6f}")
        right = model(data.x, data.edge_index).argmax(dim=1)[~train] == data.y[~train]
        print(f"{kind.__name__}: {int(right.sum())} of {int((~train).sum())}")


def classify_graphs() -> None:
    """Batches of graphs, pooled."""
    graphs = [graph(10 + number) for number in range(8)]
    body = GCN(FEATURES, 16, num_layers=2).to(device)
    pool = TopKPooling(16, ratio=0.5).to(device)
    for batch in DataLoader(graphs, batch_size=4, shuffle=True):
        moved = batch.to(device)
        x = body(moved.x, moved.edge_index)
        x, _, _, members, _, _ = pool(x, moved.edge_index, batch=moved.batch)
        print(f"pooled: {global_mean_pool(x, members).sum().item():.6f}")


if __name__ == "__main__":
    classify_nodes()
    classify_graphs()
