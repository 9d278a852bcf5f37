"""Programs that a launcher starts, such as `torchrun`: one process for each device.

A launcher tells each process its rank by environment variables. A program that reads one of them is executed
twice: as it is started directly, when none of them is set, and by a launcher, when all are set.
"""

from __future__ import annotations

from devlint.source.machine.domain.values import NONE, STRING, External, Known, Value
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.library.environment import ENVIRONMENT

LAUNCHED = "launched"
"""The flag that is on if a launcher has started the program."""
_RANKS = frozenset(
    {"RANK", "LOCAL_RANK", "GROUP_RANK", "ROLE_RANK", "SLURM_PROCID", "SLURM_LOCALID", "OMPI_COMM_WORLD_RANK",
     "OMPI_COMM_WORLD_LOCAL_RANK", "PMI_RANK"}
)  # fmt: skip
_SIZES = frozenset(
    {"WORLD_SIZE", "LOCAL_WORLD_SIZE", "ROLE_WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_LOCAL_SIZE", "PMI_SIZE"}
)  # fmt: skip
_OTHERS = frozenset({"MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_RUN_ID"})
"""The variables of `torchrun` (torch/distributed/run.py), of SLURM (manual of `srun`) and of MPI
(documentation of Open MPI and MPICH)."""
_PROCESSES = Known("2")
"""How many processes there are, as a variable states it: the least number for which programs are written that
need a launcher."""


def variable(machine: Machine, name: Value, default: Value = NONE) -> Value:
    """`os.environ.get(name, default)`. A variable that no launcher sets is assumed to be unset."""
    return _set_by_launcher(name) if is_set(machine, name) else default


def required(machine: Machine, name: Value) -> Value:
    """`os.environ[name]`, which is set, as it raises otherwise."""
    return External(ENVIRONMENT) if is_set(machine, name) is None else _set_by_launcher(name)


def is_set(machine: Machine, name: Value) -> bool | None:
    """`name in os.environ`; None if that is not known."""
    of_launcher = isinstance(name, Known) and name.value in _RANKS | _SIZES | _OTHERS
    return machine.decided(LAUNCHED, default=False) if of_launcher else None


def _set_by_launcher(name: Value) -> Value:
    return _PROCESSES if isinstance(name, Known) and name.value in _SIZES else STRING
