from typing import Optional, Tuple

import torch
from torch import Tensor


def maybe_num_nodes(edge_index: Tensor, num_nodes: Optional[int] = None) -> int:
    if num_nodes is not None:
        return num_nodes
    return int(edge_index.max()) + 1 if edge_index.numel() > 0 else 0


def remove_nodes(
    edge_index: Tensor,
    node_mask: Tensor,
    edge_attr: Optional[Tensor] = None,
) -> Tuple[Tensor, Optional[Tensor]]:
    r"""Removes the nodes marked in :obj:`node_mask` and relabels the others
    so that their indices stay contiguous.

    Args:
        edge_index (LongTensor): The edge indices.
        node_mask (BoolTensor): The nodes to remove.
        edge_attr (Tensor, optional): Edge weights or multi-dimensional
            edge features. (default: :obj:`None`)

    :rtype: (:class:`LongTensor`, :class:`Tensor`)
    """
    num_nodes = maybe_num_nodes(edge_index, node_mask.size(0))
    row, col = edge_index

    keep = ~(node_mask[row] | node_mask[col])
    edge_index = edge_index[:, keep]
    if edge_attr is not None:
        edge_attr = edge_attr[keep]

    mapping = torch.arange(0, num_nodes).sub_(node_mask.cumsum(0))  # error: [DL102]
    edge_index = mapping[edge_index]

    return edge_index, edge_attr
