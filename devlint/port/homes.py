"""The place at which a program chooses its device, if it does not do so yet: once, where it starts."""

from __future__ import annotations

import sys
from collections.abc import Collection
from dataclasses import dataclass

import libcst as cst

from devlint.port.choices import Choices
from devlint.port.device import Device, NoDevice
from devlint.port.project import Project, main_block
from devlint.port.source import Source

_VISIBLE = "CUDA_VISIBLE_DEVICES"


@dataclass(eq=False, slots=True)
class Home:
    """A statement that chooses the device, and the place at which it is inserted."""

    source: Source
    device: Device
    block: cst.Module | cst.IndentedBlock
    """The block that gets the statement, after its imports and after statements that set the visible
    devices."""
    first: int = sys.maxsize
    """The first line of the block that needs the device."""

    def behind(self) -> cst.CSTNode | None:
        """The statement before it; None at the start of the block."""
        last = None
        for statement in self.block.body:
            if self.source.place(statement)[0] >= self.first:
                break
            if _imports(statement) or _sets_visible(statement):
                last = statement
        if last is None and self.block.body and _is_docstring(self.block.body[0]):
            return self.block.body[0]
        return last


class Homes:
    """The places at which programs choose a device."""

    def __init__(self, project: Project, choices: Choices, running: Collection[Source]) -> None:
        """`running` are the files that name CUDA outside of functions."""
        self._project = project
        self._choices = choices
        self._running = running
        self._made: dict[cst.CSTNode, Home] = {}

    def of_module(self, source: Source, node: cst.CSTNode) -> Home | NoDevice:
        """For code of a module outside of functions."""
        main = main_block(source)
        inside = main is not None and any(parent is main for parent, _ in source.around(node))
        if self._project.is_imported(source):
            if not inside:
                return NoDevice("it is run when the file is imported, before the program chooses a device")
            assert main is not None
            return self._home(source, main.body, node)
        return self._home(source, self._block(source), node)

    def of_functions(self, source: Source) -> Home | None:
        """For functions that can use names of the program that starts in their file; None if none does."""
        if self._project.is_imported(source):
            return None
        if source not in self._running and not self._project.is_start(source):
            return None
        if self._chosen_inside(source) or _sets_visible_inside(source):
            return None
        return self._home(source, self._block(source))

    def _chosen_inside(self, source: Source) -> bool:
        """Whether a function of the file chooses a device already."""
        return any(
            isinstance(frame, cst.FunctionDef) and self._choices.chooses(source, frame)
            for frame in source.definitions.values()
        )

    def inside(self, source: Source, function: cst.FunctionDef, node: cst.CSTNode) -> Home | None:
        """Inside of a function that sets the visible devices, because no device can be chosen earlier."""
        for statement in function.body.body:
            if _sets_visible(statement) and source.place(statement) < source.place(node):
                return self._home(source, function.body, node)
        return None

    def _block(self, source: Source) -> cst.Module | cst.BaseSuite:
        """The module, or the block of `__main__` if that sets the visible devices."""
        main = main_block(source)
        if main is not None and any(_sets_visible(statement) for statement in main.body.body):
            return main.body
        return source.tree

    def _home(
        self, source: Source, block: cst.Module | cst.BaseSuite, node: cst.CSTNode | None = None
    ) -> Home:
        known = self._made.get(block)
        if known is None:
            assert isinstance(block, (cst.Module, cst.IndentedBlock))
            name = "device" if not self._taken(source) else "torch_device"
            known = self._made[block] = Home(source, Device(name), block)
        if node is not None:
            known.first = min(known.first, source.place(node)[0])
        return known

    @staticmethod
    def _taken(source: Source) -> bool:
        """Whether the file uses the name for something else."""
        return (
            "device" in source.assigned(source.tree)
            or "device" in source.imports
            or any(name == "device" for name in source.definitions)
        )


def _imports(statement: cst.CSTNode) -> bool:
    if isinstance(statement, cst.Try):
        return any(_imports(inner) for inner in statement.body.body)
    if not isinstance(statement, cst.SimpleStatementLine):
        return False
    return any(isinstance(each, (cst.Import, cst.ImportFrom)) for each in statement.body)


def _is_docstring(statement: cst.CSTNode) -> bool:
    return (
        isinstance(statement, cst.SimpleStatementLine)
        and isinstance(statement.body[0], cst.Expr)
        and isinstance(statement.body[0].value, (cst.SimpleString, cst.ConcatenatedString))
    )


def _sets_visible(statement: cst.CSTNode) -> bool:
    """Whether a statement sets the visible devices."""
    if isinstance(statement, (cst.FunctionDef, cst.ClassDef)):
        return False
    if isinstance(statement, cst.Assign):
        return any(_VISIBLE in text for text in _texts(statement.targets[0]))
    return any(_sets_visible(child) for child in statement.children)


def _sets_visible_inside(source: Source) -> bool:
    """Whether a function sets the visible devices."""
    return any(
        isinstance(node, cst.Assign)
        and isinstance(source.frame(node), cst.FunctionDef)
        and any(_VISIBLE in text for text in _texts(node.targets[0]))
        for node in source.nodes
    )


def _texts(node: cst.CSTNode) -> list[str]:
    if isinstance(node, cst.SimpleString):
        return [node.value]
    return [text for child in node.children for text in _texts(child)]
