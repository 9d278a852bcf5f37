"""Makes a program that is written for one CUDA device run on any: what `devlint port` does to its files."""

from devlint.port.porting import Left, Ported, port

__all__ = ["Left", "Ported", "port"]
