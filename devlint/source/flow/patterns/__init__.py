"""What no single operation shows: patterns across the statements of a function, or of a program."""
