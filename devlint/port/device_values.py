"""Which expressions of a project are devices, by the values that reach them, and which names are used as
devices."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TypeAlias

import libcst as cst

from devlint.port.calls import Calls, FunctionParameter
from devlint.port.project import Project
from devlint.port.source import Frame, Source, parameters, text_of

Value: TypeAlias = tuple[Source, cst.BaseExpression]
_TYPES = re.compile(r"(cuda|cpu)(:\d+)?")
"""The device types for which programs are ported."""


class DeviceValues:
    """The devices of a project, according to its assignments, calls and options."""

    def __init__(self, project: Project, calls: Calls) -> None:
        self._project = project
        self._calls = calls
        self.used: dict[Source, dict[tuple[Frame, str], int]] = {each: {} for each in project.sources}
        """The names and dotted names that code uses as devices, by the frame that binds them, with the first
        line of use."""
        self._find_uses()

    def is_device(self, source: Source, value: cst.BaseExpression) -> bool:
        """Whether an expression is a device: `torch.device(…)`, `x.device`, a text such as "cuda:0", or
        a choice between such, here or where a name of it is bound."""
        return self._tells(source, value, set()) is True

    def is_used(self, parameter: FunctionParameter) -> bool:
        """Whether a function uses a parameter as a device."""
        return tuple(parameter) in self.used[self._project.home[parameter.function]]

    @cached_property
    def used_attributes(self) -> frozenset[str]:
        """The attributes that code uses as devices, of whichever objects."""
        return frozenset(
            name.rpartition(".")[2] for names in self.used.values() for _, name in names if "." in name
        )

    def _find_uses(self) -> None:
        """Find all uses as a device. If a parameter is used as one, each of its arguments is a use."""
        moves: list[tuple[Source, cst.Call, cst.BaseExpression]] = []
        for source, call in _calls(self._project.sources):
            for position, arg in enumerate(call.args):
                if _takes_device(source, call, position):
                    self._use(source, call, arg.value)
                elif _may_take_device(source, call, position):
                    moves.append((source, call, arg.value))
        for source, call, value in moves:
            if self.is_device(source, value):
                self._use(source, call, value)
        count = -1
        while count != (count := sum(map(len, self.used.values()))):
            for parameter, passed_values in self._calls.passed_values.items():
                if self.is_used(parameter):
                    for source, value in passed_values:
                        self._use(source, value, value)

    def _use(self, source: Source, at: cst.CSTNode, value: cst.BaseExpression) -> None:
        if isinstance(value, (cst.Name, cst.Attribute)) and not source.imported(value):
            line, _ = source.place(at)
            self.used[source].setdefault(source.binding(value), line)

    def _tells(self, source: Source, value: cst.BaseExpression, asked: set[tuple[Frame, str]]) -> bool | None:
        """Whether an expression is a device. None if it does not show that: the expression is None, or is
        being examined already."""
        match value:
            case cst.Call():
                return source.imported(value.func) == "torch.device"
            case cst.SimpleString():
                return _TYPES.fullmatch(text_of(value)) is not None
            case cst.IfExp():
                return self._all(((source, value.body), (source, value.orelse)), asked)
            case cst.Name(value="None"):
                return None
            case cst.Name() | cst.Attribute() if not source.imported(value):
                binding = source.binding(value)
                if binding in asked:
                    return None
                asked.add(binding)
                return self._name_tells(source, value, binding, asked)
            case _:
                return False

    def _all(self, values: Iterable[Value], asked: set[tuple[Frame, str]]) -> bool:
        """Whether at least one of several values is a device, and none is something else."""
        told = [self._tells(source, value, asked) for source, value in values]
        return True in told and False not in told

    def _name_tells(
        self,
        source: Source,
        node: cst.Name | cst.Attribute,
        binding: tuple[Frame, str],
        asked: set[tuple[Frame, str]],
    ) -> bool:
        frame, name = binding
        if isinstance(node, cst.Attribute):
            attribute = node.attr.value
            values = [*self._project.attributes.get(attribute, ()), *self._options.get(attribute, ())]
            return self._all(values, asked) if values else attribute == "device"  # torch's own attribute
        values = [(source, each) for each in source.assigned(frame).get(name, ())]
        if isinstance(frame, cst.FunctionDef):
            for parameter in parameters(frame):
                if parameter.name.value == name:
                    annotation = parameter.annotation
                    if annotation and source.imported(annotation.annotation) == "torch.device":
                        return True
                    values += self._calls.passed_values.get(FunctionParameter(frame, name), [])
                    values += [(source, parameter.default)] if parameter.default else []
        return self._all(values, asked)

    @cached_property
    def _options(self) -> dict[str, list[Value]]:
        """The defaults of options of `argparse`, by the attribute that an option sets."""
        found: dict[str, list[Value]] = defaultdict(list)
        for source, call in _calls(self._project.sources):
            if isinstance(call.func, cst.Attribute) and call.func.attr.value == "add_argument":
                named = {arg.keyword.value: arg.value for arg in call.args if arg.keyword is not None}
                flags = [text_of(arg.value) for arg in call.args if arg.keyword is None]
                long = [flag for flag in flags if flag.startswith("--")] or flags
                if "default" in named and long:
                    dest = text_of(named.get("dest")) or long[0].lstrip("-").replace("-", "_")
                    found[dest].append((source, named["default"]))
        return found


def _calls(sources: Iterable[Source]) -> Iterator[tuple[Source, cst.Call]]:
    for source in sources:
        for node in source.nodes:
            if isinstance(node, cst.Call):
                yield source, node


def _takes_device(source: Source, call: cst.Call, position: int) -> bool:
    """Whether an argument of a call is a device in torch."""
    keyword = call.args[position].keyword
    if keyword is not None:
        return keyword.value in ("device", "map_location")
    return position == 0 and source.imported(call.func) == "torch.device"


def _may_take_device(source: Source, call: cst.Call, position: int) -> bool:
    """Whether an argument is that of `x.to(…)`: a device, a dtype or a tensor."""
    match call.func:
        case cst.Attribute(attr=cst.Name(value="to")):
            return position == 0 and not source.imported(call.func)
        case _:
            return False
