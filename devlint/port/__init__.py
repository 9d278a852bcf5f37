"""The codemod of `devlint port`: makes a program for one CUDA device run on any device."""

from devlint.port.porting import Left, Ported, port

__all__ = ["Left", "Ported", "port"]
