"""The observer of source code: from text to events, with sites resolved only for findings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from devlint.model import EVERY_SUBJECT, Edit, EditRequest, Event, Operand, Silenced, Site, SiteId, Subject
from devlint.source.decode import decode
from devlint.source.machine.heap.files import SITES_PER_FILE
from devlint.source.machine.interprocedural.given_data import Given
from devlint.source.machine.interprocedural.programs import Program
from devlint.source.machine.reporting.event_log import EventPath
from devlint.source.module_graph import Finder, ModuleGraph, Resolved
from devlint.source.stack import FRAMES, recursion_limit
from devlint.source.unreadable import UnreadableSource

if TYPE_CHECKING:
    from devlint.source.machine.interprocedural.watching import Whereabouts
    from devlint.source.module_graph import ModuleFile


@dataclass(frozen=True, slots=True)
class Observation:
    """The events of one file, and of the files that it uses."""

    path: str
    text: str
    events: tuple[Event, ...]
    place: ModuleFile
    silenced: tuple[Silenced, ...] = ()
    """The withheld events, with the reasons."""
    traces: Mapping[Event, EventPath] = field(default_factory=dict)
    """The calls that led to each event."""
    called: frozenset[tuple[str, str]] = frozenset()
    """The functions that the program itself calls: file and qualified name."""
    given: frozenset[Given] = frozenset()
    """What functions of other files are given where nothing calls their callers."""
    whereabouts: Mapping[SiteId, tuple[Operand, ...]] = field(default_factory=dict)
    """The devices of values, by the expressions in which they occur, if requested."""
    is_cut_short: bool = False
    """Whether the program exceeds the budget of steps, so that not all calls were followed."""

    def home(self, site: SiteId) -> str:
        """The path of the file of a site; empty for the observed file."""
        path = self.place.graph.path_at(site)
        return "" if path == self.place.path else path

    def locate(self, sites: Collection[SiteId], edits: Collection[EditRequest] = ()) -> ResolvedSites:
        """Resolve the sites and edits of findings.

        Raises: | UnreadableSource: the code nests too deep to be written out.
        """
        by_file: defaultdict[int, tuple[set[SiteId], set[EditRequest]]] = defaultdict(lambda: (set(), set()))
        for site in sites:
            by_file[site // SITES_PER_FILE][0].add(SiteId(site % SITES_PER_FILE))
        for edit in edits:
            by_file[edit.site // SITES_PER_FILE][1].add(_local(edit))
        return ResolvedSites({number: self._resolved(number, *wanted) for number, wanted in by_file.items()})

    def _resolved(self, number: int, sites: set[SiteId], edits: set[EditRequest]) -> Resolved:
        """The sites and edits of one file. Those of imported files are resolved once for all programs."""
        graph = self.place.graph
        path = graph.path_at(number * SITES_PER_FILE)
        if path == self.place.path:
            return self._worked_out(path, self.text, self.path, sites, edits)
        known = graph.resolved.setdefault(path, Resolved({}, {}))
        sites, edits = sites - known.sites.keys(), edits - known.edits.keys()
        if sites or edits:
            text = decode(graph.finder.read(path) or b"", path).text
            new = self._worked_out(path, text, path, sites, edits)
            known.sites.update(new.sites)
            known.edits.update(new.edits)
        return known

    def _worked_out(
        self, path: str, text: str, name: str, sites: set[SiteId], edits: set[EditRequest]
    ) -> Resolved:
        from devlint.source.locate import locate  # noqa: PLC0415  # imports LibCST's metadata

        with recursion_limit(FRAMES):
            lowered = self.place.graph.lowered(path, text, name)
        located = locate(lowered, name, sites, edits, text=text)
        return Resolved(
            {site: located.site(site) for site in sites}, {edit: located.edit(edit) for edit in edits}
        )


class ResolvedSites:
    """The resolved sites and edits of several files."""

    def __init__(self, resolved: dict[int, Resolved]) -> None:
        self._resolved = resolved

    def site(self, site: SiteId) -> Site:
        """The place of a site."""
        return self._resolved[site // SITES_PER_FILE].sites[SiteId(site % SITES_PER_FILE)]

    def edit(self, request: EditRequest) -> Edit | None:
        """The edit, or None if it is impossible."""
        return self._resolved[request.site // SITES_PER_FILE].edits[_local(request)]


def _local(request: EditRequest) -> EditRequest:
    """A request with the numbers of its own file."""
    quoted = None if request.quoted is None else SiteId(request.quoted % SITES_PER_FILE)
    return EditRequest(SiteId(request.site % SITES_PER_FILE), request.action, request.text, quoted)


class _Alone:
    """Finds no other files."""

    def absolute(self, name: str, importer: str) -> str:  # noqa: ARG002
        return name

    def package_of(self, importer: str) -> str:
        return importer

    def find(self, name: str, importer: str) -> tuple[str, str, tuple[str, ...]]:  # noqa: ARG002
        return "", name, ()

    def find_for_script(self, name: str, script: str) -> tuple[str, str, tuple[str, ...]]:  # noqa: ARG002
        return "", name, ()

    def started(self, name: str, script: str) -> tuple[str, str, tuple[str, ...]]:  # noqa: ARG002
        return "", name, ()

    def read(self, path: str) -> bytes | None:  # noqa: ARG002
        return None


ALONE: Finder = _Alone()


def observe(
    text: str,
    path: str,
    *,
    place: ModuleFile | None = None,
    wanted: frozenset[Subject] = EVERY_SUBJECT,
    watch: Whereabouts | None = None,
) -> Observation:
    """Parse, lower and run one file.

    From its `place` in a module graph, the other files of the project are followed where it uses them.
    Settings and registrations whose subjects are not in `wanted` may be left out. `watch` gets the devices of
    the values of expressions.

    Raises: | UnreadableSource: the text is not valid Python, or nests too deep.
    """
    at = ModuleGraph(ALONE).place(path) if place is None else place
    graph = at.graph
    graph.want(wanted)
    try:
        with recursion_limit(FRAMES):
            body = graph.meaning(at.path, text, path)
            root = graph.root(at.path, body)
            program = Program(graph.machine, root)
            with nullcontext() if watch is None else graph.machine.watched(watch):
                program.run()
    except RecursionError:
        graph.clear()
        raise UnreadableSource(path, 1, 1, "code is nested too deep to analyse") from None
    seen = program.seen()
    silenced = tuple(program.silenced())
    following = graph.machine.following
    counts = not root.is_of_tests
    return Observation(
        path,
        text,
        tuple(seen),
        at,
        silenced,
        seen,
        frozenset(following.called if counts else ()),
        frozenset(following.given.found() if counts else ()),
        {} if watch is None else watch.found(),
        program.is_cut_short,
    )
