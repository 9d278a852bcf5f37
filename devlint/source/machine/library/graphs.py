"""Graphs of PyTorch Geometric: objects that hold tensors on the host until the program moves them."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.model import CPU, Confidence, Origin, OriginStep, SiteId, Step
from devlint.source.machine.domain.inputs import Input, of_input
from devlint.source.machine.domain.values import INT, Value
from devlint.source.machine.heap.machine import Machine

_DATASETS = "torch_geometric.datasets."
_LOADERS = ("torch_geometric.loader.", "torch_geometric.data.")
_NUMBERS = frozenset(
    {"batch_size", "num_classes", "num_edge_features", "num_edges", "num_features", "num_graphs",
     "num_node_features", "num_nodes"}
)  # fmt: skip
"""The attributes of graphs that are numbers (documentation of `torch_geometric.data.Data`)."""


def is_loader(name: str) -> bool:
    """Whether a class is a loader of graphs."""
    return name.startswith(_LOADERS) and name.endswith("Loader")


def is_dataset(name: str) -> bool:
    """Whether a class is a data set of graphs."""
    return name.startswith(_DATASETS)


def holds_graphs(externals: Sequence[str]) -> bool:
    """Whether a class is a loader or a data set of graphs."""
    return any(is_loader(each) or is_dataset(each) for each in externals)


def graph(machine: Machine, site: SiteId) -> Input:
    """A graph, or a batch of graphs, whose attributes are tensors."""
    step = OriginStep(Step.MADE, site, CPU, "torch_geometric.data.Data")
    loop = machine.execution.loop
    made = Input("batch", CPU, Confidence.LIKELY, Origin((step,)), born=loop)
    made.refuted = made.holds_tensors = True
    return made


def entry(held: Input, name: str) -> Value:
    """An attribute of a graph, or of a mapping that gives its entries as attributes: a tensor, large or
    small."""
    if name in _NUMBERS:
        return INT
    made = of_input(held, held.born)
    made.pinned = None
    return made
