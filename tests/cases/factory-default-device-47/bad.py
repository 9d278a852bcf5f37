from __future__ import annotations

from dataclasses import dataclass

import torch


@dataclass
class SimState:
    """Batch of atomistic systems, concatenated along the atoms."""

    positions: torch.Tensor
    momenta: torch.Tensor
    system_idx: torch.Tensor

    @property
    def device(self) -> torch.device:
        return self.positions.device

    @property
    def n_atoms(self) -> int:
        return self.positions.shape[0]


class FixAtoms:
    """Constraint that holds the given atoms where they are.

    Args:
        atom_idx: Indices of the atoms to hold.
    """

    def __init__(self, atom_idx: torch.Tensor) -> None:
        if atom_idx.ndim != 1:
            raise ValueError(f"atom_idx must be a 1D tensor, got {atom_idx.ndim} dimensions")
        self.atom_idx = atom_idx

    def adjust_momenta(self, momenta: torch.Tensor) -> torch.Tensor:
        return momenta.index_fill(0, self.atom_idx, 0.0)

    def select_range(self, start: int, stop: int) -> FixAtoms:
        """Constraint on the atoms of one system, counted from its first atom."""
        ids = self.atom_idx
        held = torch.isin(torch.arange(start, stop), ids)  # error: [DL102]
        return FixAtoms(held.nonzero().flatten())
