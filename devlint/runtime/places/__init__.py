"""Places of a running program: frames, code, expressions, installed packages."""
