"""The rank of this process in a distributed program, from the environment variables of its launcher."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_VARIABLES = (
    ("RANK", "WORLD_SIZE"),  # torchrun, and what starts with it: accelerate, DeepSpeed
    ("SLURM_PROCID", "SLURM_NTASKS"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),  # Open MPI
    ("PMI_RANK", "PMI_SIZE"),  # MPICH, Intel MPI
    ("LOCAL_RANK", "WORLD_SIZE"),  # Lightning, on one node
)
_NODE = "NODE_RANK"
_SUFFIX = ".jsonl"


@dataclass(frozen=True, slots=True)
class Rank:
    """One of several processes that run a program together."""

    number: int
    count: int

    def __str__(self) -> str:
        return f"rank {self.number} of {self.count}"


def rank_of(environment: Mapping[str, str]) -> Rank | None:
    """The rank that a launcher assigns to a process; None if there is none."""
    for number, count in _VARIABLES:
        rank, ranks = environment.get(number, ""), environment.get(count, "")
        if number == "LOCAL_RANK" and environment.get(_NODE, "0") != "0":
            continue
        if rank.isdecimal() and ranks.isdecimal() and int(rank) < int(ranks) and int(ranks) > 1:
            return Rank(int(rank), int(ranks))
    return None


def trace_path(path: Path, rank: Rank | None) -> Path:
    """The file of a rank: `rank-0.jsonl` in a directory, `trace.0.jsonl` beside `trace.jsonl`."""
    if path.is_dir():
        return path / (f"run{_SUFFIX}" if rank is None else f"rank-{rank.number}{_SUFFIX}")
    return path if rank is None else path.with_suffix(f".{rank.number}{path.suffix}")
