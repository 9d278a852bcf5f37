"""Generates the data files of `devlint.operators` from an installed torch. Never imported by devlint.

`python -m tools.operators` writes them; `--check` reports whether they are up to date.
docs/operators.md describes when to run which.
"""
