"""Random augmentations of batches of images."""

from .noise import RandomBrightness

__all__ = ["RandomBrightness"]
