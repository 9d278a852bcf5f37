"""The effects of lifting on the suites of public libraries."""
