"""Preparations around a program; a package, so that no module of a program has the same name."""
