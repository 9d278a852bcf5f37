"""Which parameter of the project's own functions an argument is for."""

from __future__ import annotations

import libcst as cst

from devlint.port.choices import Choices
from devlint.port.project import Project, method
from devlint.port.source import Source


class Callees:
    """Follows arguments into the functions of a project."""

    def __init__(self, project: Project, choices: Choices) -> None:
        self._project = project
        self._choices = choices

    def take_device(self, source: Source, call: cst.Call, position: int, arg: cst.Arg) -> bool:
        """Whether all functions that a call may call use an argument as a device."""
        called = self._called(source, call)
        return bool(called) and all(
            self._choices.is_device_parameter(function, name)
            for function, bound in called
            for name in [_parameter(function, position + bound, arg)]
        )

    def _called(self, source: Source, call: cst.Call) -> list[tuple[cst.FunctionDef, int]]:
        """The functions that may be called, with how many of their parameters are bound before."""
        found: list[tuple[cst.FunctionDef, int]] = []
        for each in self._project.meaning(source, call.func):
            if isinstance(each, cst.FunctionDef):
                found.append((each, 0))
            elif (constructor := method(each, "__init__")) is not None:
                found.append((constructor, 1))
        if not found and isinstance(call.func, cst.Attribute) and not source.imported(call.func):
            name = call.func.attr.value
            found += [
                (each, 1)
                for each in self._project.home
                if isinstance(each, cst.FunctionDef)
                and each.name.value == name
                and self._project.class_of(each) is not None
            ]
        return found


def _parameter(function: cst.FunctionDef, position: int, arg: cst.Arg) -> str:
    if arg.keyword is not None:
        return arg.keyword.value
    parameters = (*function.params.posonly_params, *function.params.params)
    return parameters[position].name.value if position < len(parameters) else ""
