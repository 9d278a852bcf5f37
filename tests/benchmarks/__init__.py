"""Measurements, each with its own command; see README.md. The test suite only tests that they run."""
