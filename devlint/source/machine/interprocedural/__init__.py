"""The complete machine: contexts of calls, files, hypotheses, and the runs of a program."""
