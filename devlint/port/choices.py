"""The names, parameters and attributes in which a program stores a device."""

from __future__ import annotations

import libcst as cst

from devlint.port.device import Device
from devlint.port.device_values import DeviceValues
from devlint.port.project import Project, method
from devlint.port.source import Frame, Source, own_name, parameters


def is_object(source: Source, value: cst.BaseExpression) -> bool:
    """Whether a device is certainly a `torch.device`, not a string."""
    match value:
        case cst.Call():
            return True
        case cst.IfExp():
            return is_object(source, value.body) and is_object(source, value.orelse)
        case _:
            return False


class Choices:
    """The devices that the code of a project stores."""

    def __init__(self, project: Project, values: DeviceValues) -> None:
        self._project = project
        self._values = values

    def local(self, source: Source, frame: Frame, at: cst.CSTNode) -> Device | None:
        """A name or an attribute with a device that is available at a place in a frame."""
        if isinstance(frame, (cst.FunctionDef, cst.Lambda)):
            for parameter in parameters(frame):
                if (frame, parameter.name.value) in self._values.used[source]:
                    return Device(parameter.name.value, is_object=False)
        return self._assigned(source, frame, at)

    def _assigned(self, source: Source, frame: Frame, at: cst.CSTNode) -> Device | None:
        line, _ = source.place(at)
        for name, values in source.assigned(frame).items():
            first = min(source.place(value)[0] for value in values)
            if first >= line or self._is_of_instance(frame, name):
                continue
            are_devices = all(self._values.is_device(source, value) for value in values)
            if are_devices and self._is_meant(source, frame, name, values):
                return Device(name, all(is_object(source, value) for value in values))
        for dotted in self._attributes(source, frame, line):
            return Device(dotted, is_object=False)
        return None

    def _is_of_instance(self, frame: Frame, name: str) -> bool:
        """Whether a dotted name is an attribute of a method's own object, which `of_instance` finds."""
        return self._project.class_of(frame) is not None and name.partition(".")[0] == own_name(frame)

    def _is_meant(self, source: Source, frame: Frame, name: str, values: list[cst.BaseExpression]) -> bool:
        """Whether strings are devices, because code uses the name as a device."""
        if not all(isinstance(value, cst.SimpleString) for value in values):
            return True
        attribute = name.rpartition(".")[2] if "." in name else ""
        return (frame, name) in self._values.used[source] or attribute in self._values.used_attributes

    def _attributes(self, source: Source, frame: Frame, line: int) -> list[str]:
        """Attributes that code of a frame has used as a device before, `args.device` for example."""
        return [
            name
            for (where, name), first in self._values.used[source].items()
            if "." in name and where is frame and first <= line and not self._is_of_instance(frame, name)
        ]

    def chooses(self, source: Source, frame: Frame) -> bool:
        """Whether code of a frame chooses a device: it uses a device type, and no other name or tensor's
        device."""
        return any(
            self._values.is_device(source, value) and not isinstance(value, (cst.Name, cst.Attribute))
            for name, values in source.assigned(frame).items()
            if self._is_meant(source, frame, name, values)
            for value in values
        )

    def of_instance(self, defined: cst.ClassDef) -> str:
        """The attribute in which the constructor of a class, or of a base, stores a device; empty without
        one."""
        return next(filter(None, map(self._of_constructor, self._project.lineage(defined))), "")

    def _of_constructor(self, defined: cst.ClassDef) -> str:
        source, constructor = self._project.home[defined], method(defined, "__init__")
        if constructor is None:
            return ""
        for name, values in source.assigned(constructor).items():
            own, _, attribute = name.partition(".")
            if not attribute or own != own_name(constructor):
                continue
            if attribute in self._values.used_attributes or all(
                self._holds_device(source, constructor, value) for value in values
            ):
                return attribute
        return ""

    def _holds_device(self, source: Source, constructor: cst.FunctionDef, value: cst.BaseExpression) -> bool:
        """Whether a value is a device, or a parameter that the constructor uses as one."""
        if isinstance(value, cst.Name) and (constructor, value.value) in self._values.used[source]:
            return True
        return self._values.is_device(source, value)
