"""Where a program has its device already: names, parameters and attributes that hold one."""

from __future__ import annotations

import re

import libcst as cst

from devlint.port.device import Device
from devlint.port.project import Project, method
from devlint.port.source import Frame, Source

TYPES = re.compile(r"(cuda|cpu)(:\d+)?")
"""The devices of which a choice is made in programs that this module ports."""


def text_of(value: cst.CSTNode | None) -> str:
    """The text of a string literal; empty if it is none."""
    evaluated = value.evaluated_value if isinstance(value, cst.SimpleString) else None
    return evaluated if isinstance(evaluated, str) else ""


def is_device(source: Source, value: cst.BaseExpression) -> bool:
    """Whether an expression is a device: `torch.device(…)`, `x.device`, or a choice between such or names."""
    match value:
        case cst.Call():
            return source.imported(value.func) == "torch.device"
        case cst.Attribute(attr=cst.Name(value="device")):
            return not source.imported(value)
        case cst.IfExp():
            return all(is_device(source, each) for each in (value.body, value.orelse))
        case cst.SimpleString():
            return TYPES.fullmatch(text_of(value)) is not None
        case _:
            return False


def is_object(source: Source, value: cst.BaseExpression) -> bool:
    """Whether a device is surely a `torch.device`, and no string."""
    match value:
        case cst.Call():
            return True
        case cst.IfExp():
            return is_object(source, value.body) and is_object(source, value.orelse)
        case _:
            return False


class Choices:
    """The devices that a project's own code holds."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._used = {source: _used_as_device(source) for source in project.sources}

    def local(self, source: Source, frame: Frame, at: cst.CSTNode) -> Device | None:
        """A name or an attribute that holds a device in a frame, at a place in it."""
        if isinstance(frame, (cst.FunctionDef, cst.Lambda)):
            for name in _parameter_names(frame.params):
                if (frame, name) in self._used[source]:
                    return Device(name, is_object=False)
        return self._assigned(source, frame, at)

    def _assigned(self, source: Source, frame: Frame, at: cst.CSTNode) -> Device | None:
        line, _ = source.place(at)
        for name, values in source.assigned(frame).items():
            first = min(source.place(value)[0] for value in values)
            if name.startswith("self.") or first >= line:
                continue
            if all(is_device(source, value) for value in values) and self._is_meant(
                source, frame, name, values
            ):
                return Device(name, all(is_object(source, value) for value in values))
        for dotted in self._options(source, frame, line):
            return Device(dotted, is_object=False)
        return None

    def _is_meant(self, source: Source, frame: Frame, name: str, values: list[cst.BaseExpression]) -> bool:
        """Whether strings are meant as devices: something uses the name as one."""
        if not all(isinstance(value, cst.SimpleString) for value in values):
            return True
        return any(used == name for _, used in self._used[source]) or (frame, name) in self._used[source]

    def _options(self, source: Source, frame: Frame, line: int) -> list[str]:
        """Attributes that code of a frame has used as a device before, `args.device` for example."""
        return [
            name
            for where, name in self._used[source]
            if "." in name
            and where is frame
            and self._used[source][where, name] <= line
            and not name.startswith("self.")
            and not name.endswith(".index")
        ]

    def is_device_parameter(self, function: cst.FunctionDef, name: str) -> bool:
        """Whether a function uses a parameter as a device."""
        return (function, name) in self._used[self._project.home[function]]

    def chooses(self, source: Source, frame: Frame) -> bool:
        """Whether code of a frame chooses a device: names one by its type, and no tensor's."""
        return any(
            is_device(source, value) and not isinstance(value, cst.Attribute)
            for name, values in source.assigned(frame).items()
            if self._is_meant(source, frame, name, values)
            for value in values
        )

    def of_instance(self, defined: cst.ClassDef) -> str:
        """The attribute in which the constructor of a class, or of a base, puts a device; empty if none."""
        return next(filter(None, map(self._of_constructor, self._project.lineage(defined))), "")

    def _of_constructor(self, defined: cst.ClassDef) -> str:
        source, constructor = self._project.home[defined], method(defined, "__init__")
        if constructor is None:
            return ""
        for name, values in source.assigned(constructor).items():
            own, _, attribute = name.partition(".")
            if (
                attribute
                and own == own_name(constructor)
                and all(
                    is_device(source, value) or self._is_device_name(source, constructor, value)
                    for value in values
                )
            ):
                return attribute
        return ""

    def _is_device_name(self, source: Source, frame: Frame, value: cst.BaseExpression) -> bool:
        """Whether a value is a parameter of its function that is used as a device, or its attribute is."""
        if not isinstance(value, cst.Name) or not isinstance(frame, cst.FunctionDef):
            return False
        if value.value not in _parameter_names(frame.params):
            return False
        if (frame, value.value) in self._used[source]:
            return True
        targets = [name for name, values in source.assigned(frame).items() if value in values]
        return any(used in targets for _, used in self._used[source])


def own_name(function: cst.FunctionDef) -> str:
    """The name that a method has for its object."""
    parameters = (*function.params.posonly_params, *function.params.params)
    return parameters[0].name.value if parameters else ""


def _parameter_names(parameters: cst.Parameters) -> list[str]:
    listed = (*parameters.posonly_params, *parameters.params, *parameters.kwonly_params)
    return [each.name.value for each in listed]


def _used_as_device(source: Source) -> dict[tuple[Frame, str], int]:
    """The names that code uses as a device, `device=d` or `torch.device(d)`, by the frame that binds them,
    and the first lines that do."""
    found: dict[tuple[Frame, str], int] = {}
    for node in source.nodes:
        if not isinstance(node, cst.Call):
            continue
        for position, arg in enumerate(node.args):
            if not isinstance(arg.value, (cst.Name, cst.Attribute)) or source.imported(arg.value):
                continue
            if _takes_device(source, node, position, arg):
                name = source.code(arg.value)
                frame = _binding(source, node, name.partition(".")[0])
                found.setdefault((frame, name), source.place(node)[0])
    return found


def _takes_device(source: Source, call: cst.Call, position: int, arg: cst.Arg) -> bool:
    if arg.keyword is not None:
        return arg.keyword.value in ("device", "map_location")
    if position == 0 and source.imported(call.func) == "torch.device":
        return True
    return (
        position == 0
        and isinstance(call.func, cst.Attribute)
        and call.func.attr.value == "to"
        and isinstance(arg.value, (cst.Name, cst.Attribute))
        and "device" in source.code(arg.value).rpartition(".")[2].lower()
    )


def _binding(source: Source, node: cst.CSTNode, name: str) -> Frame:
    """The frame around a node that binds a name."""
    for frame in source.frames(node):
        if isinstance(frame, cst.Module):
            return frame
        if isinstance(frame, (cst.FunctionDef, cst.Lambda)) and name in _parameter_names(frame.params):
            return frame
        if name in source.assigned(frame):
            return frame
    return source.tree
