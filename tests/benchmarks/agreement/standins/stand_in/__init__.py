"""What is done around a program; a package, so that no module of a program has one of its names."""
