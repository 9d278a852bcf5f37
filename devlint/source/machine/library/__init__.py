"""The effects of functions and methods outside the project: Python's own, torch's other than operators, and
others."""
