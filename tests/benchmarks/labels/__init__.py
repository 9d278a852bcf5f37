"""Comparison of `devlint check` with lifted suites of public libraries, for each executed line."""
