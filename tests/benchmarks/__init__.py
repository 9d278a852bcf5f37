"""Measurements, each a command of its own; see README.md. The test-suite only tries that they run."""
