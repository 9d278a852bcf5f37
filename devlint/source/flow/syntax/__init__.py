"""What Python's syntax does to the state: statements, expressions, tests, assignments, definitions."""
