"""Checking many files: in one process, in several, on a cluster, as shards of a repository."""
