"""Compares `devlint check` of whole programs with runs of these programs on simulated devices."""
