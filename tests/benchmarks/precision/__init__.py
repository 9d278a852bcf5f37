"""Measures how many findings on released packages are true: readings, tables, a check."""
