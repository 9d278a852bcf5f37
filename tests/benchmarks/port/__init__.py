"""Ports public programs with `devlint port`, and runs them on the CPU and on simulated devices."""
