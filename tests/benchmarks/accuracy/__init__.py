"""Measures how many bugs devlint finds, and how many of its findings are wrong."""
