"""Watching some steps of a program and letting the others run bare, once its places are known."""

from devlint.runtime.sampling.sampler import Sampler

__all__ = ["Sampler"]
