"""Simulated devices for programs that were written for an accelerator, on machines without one."""

from devlint.simulation.labels import label_of, set_label
from devlint.simulation.simulation import Simulation

__all__ = ["Simulation", "label_of", "set_label"]
