"""Findings as text for people and as data for programs; one module for each format.

Nothing here imports LibCST, and only the coloured frames import rich.
"""

from devlint.report.formats import FOR_PROGRAMS, FORMATS, Renderer, renderer
from devlint.report.report import Report
from devlint.report.sources import SourceText

__all__ = ["FORMATS", "FOR_PROGRAMS", "Renderer", "Report", "SourceText", "renderer"]
