"""Observing only some steps of a program, once its places are known."""

from devlint.runtime.sampling.sampler import Sampler

__all__ = ["Sampler"]
