"""The transfer functions of Python's statements, expressions, attributes and calls."""
