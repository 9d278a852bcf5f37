"""What functions are to their callers: summaries, demands, how hot they are, and those of other files."""
