"""What functions and methods outside the project do: Python's own, torch's that are no operators,
and others."""
