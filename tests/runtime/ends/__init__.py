"""Ends of programs, which are the same with and without `devlint run`, whatever is running at that moment."""
