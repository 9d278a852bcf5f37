"""The places in the report of a run, with the texts of their files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from devlint.model import Site
from devlint.pipeline.observed.findings import named_site, source_of
from devlint.report import SourceText


class Placing:
    """Converts places to those of reports, and reads each of their files once."""

    def __init__(self, directory: Path, sources: Mapping[str, SourceText], root: Path | None = None) -> None:
        """`sources` are the known texts. Of other files, those below `root` are read, if it is given."""
        self._directory = directory
        self._root = root
        self.sources = dict(sources)

    def __call__(self, site: Site) -> Site:
        """The place; in a notebook, relative to its cell."""
        site = named_site(site, self._directory)
        if site.path not in self.sources:
            self.sources[site.path] = source_of(site.path, self._directory, self._root)
        return self.sources[site.path].in_cell(site)
