"""Makes the data files of `devlint.operators` from an installed torch. Never imported by devlint.

`python -m tools.operators` writes them, `python -m tools.operators --check` says whether they are up to date.
docs/operators.md says when to do what.
"""
