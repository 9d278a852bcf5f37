from typing import Tuple

import torch
from torch import Tensor


def relabel_subgraph(
    subset: Tensor,
    edge_index: Tensor,
    num_nodes: int,
) -> Tuple[Tensor, Tensor]:
    r"""Keeps the edges whose both ends are in :obj:`subset` and relabels
    their ends to the positions in :obj:`subset`.

    Args:
        subset (LongTensor): The nodes to keep.
        edge_index (LongTensor): The edge indices.
        num_nodes (int): The number of nodes of the whole graph.

    :rtype: (:class:`LongTensor`, :class:`BoolTensor`)
    """
    node_map = edge_index.new_full((num_nodes, ), -1)
    node_map[subset] = torch.arange(subset.size(0), device=node_map.device)

    relabeled = node_map[edge_index]
    edge_mask = (relabeled >= 0).all(dim=0)
    return relabeled[:, edge_mask], edge_mask


class InducedSubgraph:
    r"""Transform that induces the subgraph of a fixed set of nodes."""
    def __init__(self, subset: Tensor):
        self.subset = subset

    def __call__(self, data):
        subset = self.subset.to(data.edge_index.device)
        edge_index, edge_mask = relabel_subgraph(subset, data.edge_index, data.num_nodes)
        data.edge_index = edge_index
        if data.edge_attr is not None:
            data.edge_attr = data.edge_attr[edge_mask]
        data.x = data.x[subset]
        return data

    def __repr__(self) -> str:
        return f'{self.__class__.__name__}({self.subset.numel()})'
