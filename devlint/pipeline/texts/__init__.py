"""Checking texts of other programs: linters that pass files, and editors."""
