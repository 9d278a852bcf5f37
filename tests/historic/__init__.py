"""The real bugs of `tests/cases`, and what devlint finds of them today."""
