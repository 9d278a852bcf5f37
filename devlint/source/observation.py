"""The source observer: text in, events out, with sites resolved only for what a finding names.

A text is read by the standard library's parser, which is eight times as fast as LibCST's. LibCST is asked for
places that `ast` does not know. Where `ast` cannot tell what a text means, or cannot parse it, LibCST reads
it from the beginning.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from devlint.model import EVERY_SUBJECT, EditRequest, Event, SiteId, Subject
from devlint.source import ir
from devlint.source.flow.program import Program
from devlint.source.from_ast.module import Sketch, sketch
from devlint.source.from_ast.places import Places, places
from devlint.source.interpreter import program_for
from devlint.source.misread import MisreadError
from devlint.source.stack import FRAMES, recursion_limit
from devlint.source.unreadable import UnreadableSource

if TYPE_CHECKING:
    import libcst as cst

    from devlint.source.library import Place
    from devlint.source.locate import Located
    from devlint.source.lower import Lowered


@dataclass(frozen=True, slots=True)
class Parsed:
    """What LibCST made of a whole text."""

    module: cst.Module
    lowered: Lowered

    @property
    def body(self) -> ir.Block:
        """The meaning."""
        return self.lowered.body


@dataclass(frozen=True, slots=True)
class Observation:
    """What was seen in one file."""

    path: str
    text: str
    events: tuple[Event, ...]
    read: Sketch | Parsed | None
    """How the text was read; None if that is not known any more."""

    def locate(self, sites: Collection[SiteId], edits: Collection[EditRequest] = ()) -> Located | Places:
        """Resolve the sites and edits that findings name, in one pass over the syntax tree.

        Raises:
            MisreadError: the text has to be observed anew, `with_libcst`.
            UnreadableSource: LibCST cannot parse it.
        """
        # LibCST takes longer to import than most files take to check: it waits for the first place that `ast`
        # does not know.
        read = self.read or _read_again(self.text)
        if isinstance(read, Sketch):
            known = places(self.text, self.path, read, sites, edits)
            if known is not None:
                return known
            from devlint.source.excerpt import locate_in  # noqa: PLC0415

            return locate_in(self.text, self.path, read, sites, edits)
        from devlint.source.locate import locate  # noqa: PLC0415

        return locate(read.module, read.lowered.nodes, self.path, sites, edits, text=self.text)


def _read_again(text: str) -> Sketch:
    with recursion_limit(FRAMES):
        read = sketch(text)
    if read is None:
        raise MisreadError
    return read


def observe(
    text: str,
    path: str,
    *,
    place: Place | None = None,
    wanted: frozenset[Subject] = EVERY_SUBJECT,
    with_libcst: bool = False,
) -> Observation:
    """Parse, lower and interpret one file.

    From its `place` in a library, the other files of the project are followed where it uses them. Settings
    and registrations that are about nothing that is `wanted` may be left out.

    Raises:
        UnreadableSource: the text is no Python, or nests too deep.
    """
    try:
        with recursion_limit(FRAMES):
            if place is not None:
                place.library.want(wanted)
            volume = None if with_libcst or place is None else place.library.volume(place.path, text)
            if volume is not None:
                volume.program.run_functions()
                return Observation(path, text, volume.program.events, volume.sketch)
            read = (None if with_libcst else sketch(text)) or _parsed(text, path)
            if place is None:
                program = program_for(read.body, text, Program, wanted=wanted)
            else:
                program = place.library.program(place.path, read.body, text, Program)
            program.run(read.body)
    except RecursionError:
        raise UnreadableSource(path, 1, 1, "code is nested too deep to analyse") from None
    return Observation(path, text, program.events, read)


def _parsed(text: str, path: str) -> Parsed:
    from devlint.source.lower import lower  # noqa: PLC0415
    from devlint.source.parse import parse  # noqa: PLC0415

    module = parse(text, path)
    return Parsed(module, lower(module, path))
