"""What the files of one check have in common: the task, the cache, callers in other files, and their findings."""
