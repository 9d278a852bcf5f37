"""The arguments that the calls of a project pass to its own functions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import libcst as cst

from devlint.port.project import Project, method
from devlint.port.source import Source


class FunctionParameter(NamedTuple):
    """A parameter of a function of the project."""

    function: cst.FunctionDef
    name: str


class Calls:
    """Follows arguments into functions."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._methods: dict[str, list[cst.FunctionDef]] = defaultdict(list)
        for each in project.home:
            if isinstance(each, cst.FunctionDef) and project.class_of(each) is not None:
                self._methods[each.name.value].append(each)

    def parameters(self, source: Source, call: cst.Call, position: int) -> list[FunctionParameter]:
        """The parameters that may get an argument of a call, one for each function that may be called. The
        name is empty if a function has no such parameter."""
        arg = call.args[position]
        return [
            FunctionParameter(function, _name(function, position + bound, arg))
            for function, bound in self._called(source, call)
        ]

    @cached_property
    def passed_values(self) -> dict[FunctionParameter, list[tuple[Source, cst.BaseExpression]]]:
        """The arguments that the project's calls pass to each parameter, without unpacked ones."""
        found: dict[FunctionParameter, list[tuple[Source, cst.BaseExpression]]] = defaultdict(list)
        for source in self._project.sources:
            for call in source.nodes:
                if isinstance(call, cst.Call):
                    for position, arg in enumerate(call.args):
                        for parameter in self.parameters(source, call, position):
                            found[parameter].append((source, arg.value))
        return found

    def _called(self, source: Source, call: cst.Call) -> Iterator[tuple[cst.FunctionDef, int]]:
        """The functions that may be called, each with the number of parameters that are bound already."""
        meant = self._project.meaning(source, call.func)
        for each in meant:
            if isinstance(each, cst.FunctionDef):
                yield each, 0
            elif (constructor := method(each, "__init__")) is not None:
                yield constructor, 1
        if not meant and isinstance(call.func, cst.Attribute) and not source.imported(call.func):
            for each in self._methods.get(call.func.attr.value, ()):
                yield each, 1


def _name(function: cst.FunctionDef, position: int, arg: cst.Arg) -> str:
    if arg.star:
        return ""
    if arg.keyword is not None:
        return arg.keyword.value
    by_position = (*function.params.posonly_params, *function.params.params)
    return by_position[position].name.value if position < len(by_position) else ""
