"""Abstract values, their order and their join. All of them are immutable."""
