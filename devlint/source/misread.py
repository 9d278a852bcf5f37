"""The one way in which reading without LibCST may turn out to have been wrong."""

from __future__ import annotations


class MisreadError(Exception):
    """LibCST finds another meaning in a text than `ast` did; it has to be read anew, by LibCST alone."""
