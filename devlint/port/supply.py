"""The device for a place, and the changes that make it available there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import libcst as cst

from devlint.port.choices import Choices
from devlint.port.device import Device, NoDevice
from devlint.port.homes import Home, Homes
from devlint.port.operands import partner
from devlint.port.project import Project, Use, method
from devlint.port.source import Frame, Source, own_name, parameters
from devlint.port.tensors import argument_on_device, has_parameters

_MODULE = frozenset({"torch.nn.Module", "torch.nn.modules.Module", "torch.nn.modules.module.Module"})
_FUNCTION = frozenset({"torch.autograd.Function"})
NAME = "device"


@dataclass(eq=False, slots=True)
class PassedParameter:
    """A new parameter of a function, and the calls that pass it."""

    function: cst.FunctionDef
    name: str
    calls: list[tuple[Source, cst.Call, Supply]] = field(default_factory=list)
    kept: str = ""
    """The attribute in which a constructor stores it; empty if it does not."""


@dataclass(frozen=True, slots=True)
class Supply:
    """A device for a place, and what makes it available."""

    device: Device
    by: PassedParameter | Home | None = None
    """None if it is available already."""


Answer: TypeAlias = Supply | NoDevice


class Supplies:
    """Finds the device for each place."""

    def __init__(
        self, project: Project, choices: Choices, homes: Homes, moves: dict[Frame, list[str]]
    ) -> None:
        self._project = project
        self._choices = choices
        self._homes = homes
        self._moves = moves
        """The objects that each function moves, as text of the receiver."""
        self._passed: dict[cst.FunctionDef, PassedParameter | NoDevice] = {}

    def at(self, source: Source, node: cst.CSTNode) -> Answer:
        """The device for a place."""
        for frame in source.frames(node):
            found = self._choices.local(source, frame, node)
            if found is not None:
                return Supply(found)
            if isinstance(frame, cst.Module):
                break
            if isinstance(frame, cst.FunctionDef):
                home = self._homes.inside(source, frame, node)
                if home is not None:
                    return Supply(home.device, home)
                outer = source.frame(frame)
                if isinstance(outer, cst.ClassDef):
                    return self._in_method(source, frame, outer)
                if isinstance(outer, cst.Module):
                    return self._in_function(source, frame, node)
        return self._in_module(source, node)

    def _in_module(self, source: Source, node: cst.CSTNode) -> Answer:
        home = self._homes.of_module(source, node)
        return home if isinstance(home, NoDevice) else Supply(home.device, home)

    def _in_function(self, source: Source, function: cst.FunctionDef, node: cst.CSTNode) -> Answer:
        tensor = partner(source, function, node, self._moves.get(function, ()))
        if tensor:
            return Supply(Device(f"{tensor}.device"))
        return self._of_program(source) or self._parameter(function)

    def _in_method(self, source: Source, function: cst.FunctionDef, owner: cst.ClassDef) -> Answer:
        if self._project.inherits(owner, _FUNCTION):
            tensor = argument_on_device(source, function, self._moves.get(function, ()))
            if tensor:
                return Supply(Device(f"{tensor}.device"))
            return NoDevice("the autograd function has no argument whose device could be used")
        if _is_static(function):
            home = self._homes.of_functions(source)
            if home is not None:
                return Supply(home.device, home)
            return NoDevice(f"`{function.name.value}` has no object, and no caller passes it a device")
        own = own_name(function)
        if function.name.value == "__init__":
            return self._of_program(source) or self._parameter(function)
        attribute = self._choices.of_instance(owner)
        if attribute:
            return Supply(Device(f"{own}.{attribute}", is_object=False))
        if self._project.inherits(owner, _MODULE):
            moved = self._moves.get(function, ())
            tensor = argument_on_device(source, function, moved)
            if tensor:
                return Supply(Device(f"{tensor}.device"))
            if own not in moved and has_parameters(self._project, owner, _MODULE):
                return Supply(Device(f"next({own}.parameters()).device"))
        return self._of_program(source) or self._instance(owner, own)

    def _of_program(self, source: Source) -> Supply | None:
        """The device of the program that starts in the same file, if functions there can use it."""
        existing = self._choices.local(source, source.tree, source.tree.body[-1])
        if existing is not None:
            return Supply(existing)
        home = self._homes.of_functions(source)
        return None if home is None else Supply(home.device, home)

    def _instance(self, owner: cst.ClassDef, own: str) -> Answer:
        """The device that the constructor of a class gets and stores."""
        known = self._kept_by_base(owner)
        if known is not None:
            return Supply(Device(f"{own}.{known.kept}"), known)
        constructor = _constructor(self._project, owner)
        if constructor is None:
            return NoDevice(f"`{owner.name.value}` has no constructor that could take a device")
        passed = self._pass(constructor)
        if isinstance(passed, NoDevice):
            return passed
        passed.kept = passed.kept or NAME
        return Supply(Device(f"{own}.{passed.kept}"), passed)

    def _kept_by_base(self, owner: cst.ClassDef) -> PassedParameter | None:
        """The constructor of a class or of a base that stores a device already."""
        for each in self._project.lineage(owner):
            constructor = method(each, "__init__")
            passed = self._passed.get(constructor) if constructor is not None else None
            if isinstance(passed, PassedParameter) and passed.kept:
                return passed
        return None

    def _parameter(self, function: cst.FunctionDef) -> Answer:
        passed = self._pass(function)
        return (
            passed
            if isinstance(passed, NoDevice)
            else Supply(Device(passed.name, self._is_object(passed)), passed)
        )

    @staticmethod
    def _is_object(passed: PassedParameter) -> bool:
        return bool(passed.calls) and all(supply.device.is_object for _, _, supply in passed.calls)

    def _pass(self, function: cst.FunctionDef) -> PassedParameter | NoDevice:
        known = self._passed.get(function)
        if known is None:
            name = NAME if not _binds(self._project.home[function], function, NAME) else f"torch_{NAME}"
            passed = PassedParameter(function, name)
            self._passed[function] = passed  # a recursive function passes on its own parameter
            known = self._passed[function] = self._with_calls(passed) or passed
        return known

    def _with_calls(self, passed: PassedParameter) -> NoDevice | None:
        """Find the calls that pass a parameter. Returns the reason if a call cannot."""
        function = passed.function
        owner = self._project.class_of(function)
        title = f"`{function.name.value if owner is None else owner.name.value}`"
        if self._project.home[function].path in self._project.handed_on:
            return NoDevice(f"the file looks {title} up by a computed name")
        if function.decorators:
            return NoDevice(f"{title} is decorated, so its calls may call another function")
        calls = list(self._calls(function) if owner is None else self._creations(owner))
        for call in calls:
            if isinstance(call, NoDevice):
                return call
            where, node = call
            answer = self.at(where, node)
            if isinstance(answer, NoDevice):
                return answer
            passed.calls.append((where, node, answer))
        return None if calls else NoDevice(f"nothing in the project calls {title}")

    def _calls(self, function: cst.FunctionDef) -> Iterator[tuple[Source, cst.Call] | NoDevice]:
        for use in self._project.uses.get(function, ()):
            if use.call is not None:
                yield use.source, use.call
            else:
                yield _handed_on(use, function)

    def _creations(self, owner: cst.ClassDef) -> Iterator[tuple[Source, cst.Call] | NoDevice]:
        """The calls that run the constructor of a class."""
        for use in self._project.uses.get(owner, ()):
            if use.call is not None:
                yield use.source, use.call
            elif not _is_harmless(use):
                yield _handed_on(use, owner)
        for each in self._project.subclasses(owner):
            if each is owner:  # two classes of one name
                continue
            constructor = method(each, "__init__")
            if constructor is None:
                yield from self._creations(each)
                continue
            where = self._project.home[each]
            called = [node for node in where.nodes if self._calls_base(where, node, constructor, owner)]
            if not called:
                yield NoDevice(f"`{each.name.value}` does not call the constructor of `{owner.name.value}`")
            for call in called:
                assert isinstance(call, cst.Call)
                yield where, call

    def _calls_base(
        self, source: Source, node: cst.CSTNode, constructor: cst.FunctionDef, base: cst.ClassDef
    ) -> bool:
        """Whether a node calls the constructor of a base class, from a constructor."""
        match node:
            case cst.Call(func=cst.Attribute(value=receiver, attr=cst.Name(value="__init__"))):
                by_super = isinstance(receiver, cst.Call) and source.builtin(receiver.func, "super")
                named = by_super or base in self._project.meaning(source, receiver)
                return named and source.frame(node) is constructor
            case _:
                return False


def _handed_on(use: Use, defined: cst.FunctionDef | cst.ClassDef) -> NoDevice:
    line, _ = use.source.place(use.node)
    return NoDevice(f"`{defined.name.value}` is passed as a value in line {line}, so its callers are unknown")


def _is_harmless(use: Use) -> bool:
    """Whether a use of a class does not create an object: as a base, in an annotation, in `isinstance`, in
    `super(C, self)`, or for one of its attributes."""
    parent = use.source.parent(use.node)
    if isinstance(parent, (cst.Annotation, cst.ExceptHandler)):
        return True
    if isinstance(parent, cst.Attribute):
        return parent.attr.value != "__init__" or _in_class(use)
    while isinstance(parent, (cst.Element, cst.Tuple)):
        parent = use.source.parent(parent)
    outer = use.source.parent(parent) if isinstance(parent, cst.Arg) else None
    if isinstance(outer, cst.ClassDef):
        return True
    return isinstance(outer, cst.Call) and any(
        use.source.builtin(outer.func, name) for name in ("isinstance", "issubclass", "super")
    )


def _in_class(use: Use) -> bool:
    """Whether a use is in a class: `Base.__init__(self)` of a subclass is found as such."""
    return any(isinstance(frame, cst.ClassDef) for frame in use.source.frames(use.node))


def _constructor(project: Project, owner: cst.ClassDef) -> cst.FunctionDef | None:
    """The constructor of a class, its own or that of the first base that has one."""
    own = (method(each, "__init__") for each in project.lineage(owner))
    return next((each for each in own if each is not None), None)


def _is_static(function: cst.FunctionDef) -> bool:
    return any(
        isinstance(each.decorator, cst.Name) and each.decorator.value in ("staticmethod", "classmethod")
        for each in function.decorators
    )


def _binds(source: Source, function: cst.FunctionDef, name: str) -> bool:
    named = any(each.name.value == name for each in parameters(function))
    return named or name in source.assigned(function)
