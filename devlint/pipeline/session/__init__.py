"""What the files of one check share: the task, the cache, callers in other files, and their findings."""
