"""Checking texts that other programs hold: a linter that hands over files, an editor."""
