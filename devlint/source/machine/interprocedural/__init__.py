"""The machine as a whole: contexts of calls, files, hypotheses, and the runs of a program."""
