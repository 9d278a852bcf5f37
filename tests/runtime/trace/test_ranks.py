"""Tests of the rank of a process, and of the path of its trace."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.runtime.trace.ranks import Rank, rank_of, trace_path


@pytest.mark.parametrize(
    ("environment", "rank"),
    [
        ({}, None),
        ({"RANK": "1", "WORLD_SIZE": "4", "LOCAL_RANK": "1"}, Rank(1, 4)),
        ({"RANK": "5", "WORLD_SIZE": "8", "LOCAL_RANK": "1", "NODE_RANK": "1"}, Rank(5, 8)),
        ({"SLURM_PROCID": "3", "SLURM_NTASKS": "4"}, Rank(3, 4)),
        ({"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2"}, Rank(0, 2)),
        ({"PMI_RANK": "1", "PMI_SIZE": "2"}, Rank(1, 2)),
        ({"LOCAL_RANK": "1", "NODE_RANK": "0", "WORLD_SIZE": "2"}, Rank(1, 2)),
        ({"LOCAL_RANK": "1", "NODE_RANK": "1", "WORLD_SIZE": "4"}, None),
        ({"RANK": "0", "WORLD_SIZE": "1"}, None),
        ({"SLURM_PROCID": "0", "SLURM_NTASKS": "1"}, None),
        ({"RANK": "1"}, None),
        ({"RANK": "x", "WORLD_SIZE": "2"}, None),
        ({"RANK": "2", "WORLD_SIZE": "2"}, None),
        ({"RANK": "0", "WORLD_SIZE": "2", "SLURM_PROCID": "3", "SLURM_NTASKS": "4"}, Rank(0, 2)),
    ],
)
def test_launchers_name_ranks(environment: dict[str, str], rank: Rank | None) -> None:
    assert rank_of(environment) == rank


def test_each_rank_has_a_file(tmp_path: Path) -> None:
    assert trace_path(tmp_path, Rank(1, 2)) == tmp_path / "rank-1.jsonl"
    assert trace_path(tmp_path, None) == tmp_path / "run.jsonl"
    assert trace_path(tmp_path / "trace.jsonl", Rank(1, 2)) == tmp_path / "trace.1.jsonl"
    assert trace_path(tmp_path / "trace.jsonl", None) == tmp_path / "trace.jsonl"
