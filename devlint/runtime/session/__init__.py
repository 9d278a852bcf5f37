"""The observer of a process and of a whole run."""
