"""The port of a project: from its texts to texts that use only the chosen device."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import libcst as cst

from devlint.port.arguments import keyword, with_argument, with_parameter
from devlint.port.calls import Calls
from devlint.port.choices import Choices
from devlint.port.device import Device, NoDevice
from devlint.port.device_values import DeviceValues
from devlint.port.guards import Guards
from devlint.port.homes import Home, Homes
from devlint.port.places import Place, Places, Stays
from devlint.port.project import Project
from devlint.port.rewriting import chosen
from devlint.port.source import Frame, Source, own_name
from devlint.port.statements import beginning, behind, comments, with_imports
from devlint.port.supply import NAME, Answer, PassedParameter, Supplies, Supply
from devlint.project.modules import Modules
from devlint.source.unreadable import UnreadableSource

_Change: TypeAlias = Callable[[cst.CSTNode], cst.CSTNode]


class Left(NamedTuple):
    """A place that stays as it is, and why."""

    path: str
    line: int
    column: int
    code: str
    reason: str


@dataclass(slots=True)
class Ported:
    """The result of a port."""

    texts: dict[str, str] = field(default_factory=dict)
    """The new text of each file that changes, by path."""
    left: list[Left] = field(default_factory=list)


def port(texts: Mapping[str, str], modules: Modules) -> Ported:
    """Port the files of a project together, given by absolute path. A file that LibCST cannot parse stays as
    it is."""
    read = [_read(path, text) for path, text in sorted(texts.items())]
    sources = [each for each in read if isinstance(each, Source)]
    ported = _Plan(Project(sources, modules)).carried_out()
    ported.left = sorted([*ported.left, *(each for each in read if isinstance(each, Left))])
    return ported


def _read(path: str, text: str) -> Source | Left:
    try:
        return Source(path, text)
    except UnreadableSource as error:
        return Left(path, error.line, error.column, "", error.reason)


class _Plan:
    """What changes in the files of a project."""

    def __init__(self, project: Project) -> None:
        self._project = project
        calls = Calls(project)
        values = DeviceValues(project, calls)
        choices = Choices(project, values)
        places = Places(project, Guards(project), calls, values)
        found = [_sparing(each) for source in project.sources for each in places.of(source)]
        self._left = [each for each in found if isinstance(each, Stays)]
        self._places = [each for each in found if isinstance(each, Place)]
        running = {
            place.source for place in self._places if place.source.frame(place.node) is place.source.tree
        }
        self._supplies = Supplies(project, choices, Homes(project, choices, running), _moves(self._places))
        self._changes: dict[cst.CSTNode, list[_Change]] = defaultdict(list)
        self._last: dict[cst.CSTNode, list[_Change]] = defaultdict(list)
        """Changes of a node that are applied after all others."""
        self._brought: set[PassedParameter | Home] = set()
        self._needs_torch: set[Source] = set()

    def carried_out(self) -> Ported:
        """The new texts."""
        found = [(place, self._answer(place)) for place in self._places]
        for place, answer in found:  # only now it is known what constructors store
            self._make(place, answer)
        result = Ported()
        for source in self._project.sources:
            tree = source.tree.visit(_Transformer(self._changes, self._last))
            if source in self._needs_torch:
                tree = with_imports(tree, source)
            if tree.code not in (source.text, source.tree.code):
                result.texts[source.path] = tree.code
        result.left = sorted({_left(each) for each in self._left})
        return result

    def _answer(self, place: Place) -> Answer:
        return Supply(Device(NAME)) if place.chooses else self._supplies.at(place.source, place.node)

    def _make(self, place: Place, answer: Answer) -> None:
        if isinstance(answer, NoDevice):
            self._left.append(Stays(place.source, place.node, answer.reason))
            return
        self._bring(answer)
        device = answer.device
        self._needs_torch.add(place.source)
        self._changes[place.node].append(lambda node: place.build(node, device))

    def _bring(self, supply: Supply) -> None:
        """Make a device available where it is needed."""
        by = supply.by
        if by is None or by in self._brought:
            return
        self._brought.add(by)
        if isinstance(by, Home):
            self._needs_torch.add(by.source)
            self._insert(by)
            return
        name = by.name
        opening = by.function.whitespace_before_params
        self._changes[by.function.params].append(lambda node: _with_parameter(node, name, opening))
        if by.kept:
            kept = f"{own_name(by.function)}.{by.kept} = {name}"
            self._last[by.function.body].append(lambda node: beginning(node, kept))
        for _, call, passed in by.calls:
            self._bring(passed)
            self._pass(call, name, passed)

    def _pass(self, call: cst.Call, name: str, passed: Supply) -> None:
        argument = keyword(name, passed.device.node())
        self._changes[call].append(lambda node: _with_argument(node, argument))

    def _insert(self, home: Home) -> None:
        statement = f"{home.device.expression} = {chosen(home.source)}"
        after = home.behind()
        if after is None:
            self._last[home.block].append(lambda node: beginning(node, statement))
        else:
            self._last[after].append(lambda node: behind(node, statement))


def _sparing(place: Place | Stays) -> Place | Stays:
    """The place, unless its change would lose a comment."""
    if isinstance(place, Place) and comments(place.build(place.node, Device(NAME))) != comments(place.node):
        return Stays(place.source, place.node, "the change would remove a comment")
    return place


def _with_parameter(node: cst.CSTNode, name: str, opening: cst.BaseParenthesizableWhitespace) -> cst.CSTNode:
    assert isinstance(node, cst.Parameters)
    return with_parameter(node, name, opening)


def _with_argument(node: cst.CSTNode, argument: cst.Arg) -> cst.CSTNode:
    assert isinstance(node, cst.Call)
    return with_argument(node, argument)


def _moves(places: Iterable[Place]) -> dict[Frame, list[str]]:
    """The objects that each function moves, as text."""
    found: dict[Frame, list[str]] = defaultdict(list)
    for place in places:
        if place.moved is not None:
            text = place.source.code(place.moved)
            for frame in place.source.frames(place.node):
                found[frame].append(text)
    return found


def _left(stays: Stays) -> Left:
    line, column = stays.source.place(stays.node)
    code = stays.source.code(stays.node)
    return Left(stays.source.path, line, column, code, stays.reason)


class _Transformer(cst.CSTTransformer):
    """Makes the changes of nodes, innermost first."""

    def __init__(
        self, changes: Mapping[cst.CSTNode, list[_Change]], last: Mapping[cst.CSTNode, list[_Change]]
    ) -> None:
        super().__init__()
        self._changes = changes
        self._last = last

    def on_leave(  # type: ignore[override]  # one method for all types of nodes
        self, original_node: cst.CSTNode, updated_node: cst.CSTNode
    ) -> cst.CSTNode:
        node = updated_node
        for change in self._changes.get(original_node, ()):
            node = change(node)
        for change in self._last.get(original_node, ()):
            node = change(node)
        return node
