"""Places at which a program uses CUDA, each with its replacement, or with the reason why it stays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from devlint.operators.without_cuda import RAISE
from devlint.port import automatic_precision, legacy
from devlint.port.calls import Calls
from devlint.port.device_values import DeviceValues
from devlint.port.guards import Guards
from devlint.port.loading import is_for_parameters
from devlint.port.project import Project
from devlint.port.rewriting import (
    Build,
    choice_of_device,
    choice_of_name,
    is_cuda,
    kept_arguments,
    kind,
    moved,
    moved_as_told,
    pinned_if_cuda,
    replaced,
    with_conditional_map_location,
    with_cuda_only,
    with_map_location,
)
from devlint.port.source import Source, text_of


class Place(NamedTuple):
    """A place that changes."""

    source: Source
    node: cst.CSTNode
    build: Build
    chooses: bool = False
    """Whether the place needs no device from elsewhere, because the program chooses one here, or tests for
    one."""
    moved: cst.BaseExpression | None = None
    """The object that is moved here, whose device therefore cannot be used as the target."""


class Stays(NamedTuple):
    """A place that stays as it is."""

    source: Source
    node: cst.CSTNode
    reason: str


_FIRST = ("cuda", "cuda:0")
_PINS = "pin_memory"
"""An argument of loaders and factories, which may be in a dictionary of arguments."""


class Places:
    """Finds the places of a project."""

    def __init__(self, project: Project, guards: Guards, calls: Calls, values: DeviceValues) -> None:
        self._guards = guards
        self._calls = calls
        self._values = values
        self._defines_cuda = any(
            isinstance(node, cst.FunctionDef) and node.name.value == "cuda" for node in project.home
        )
        self._several = {source for source in project.sources if _names_second_device(source)}

    def of(self, source: Source) -> Iterator[Place | Stays]:
        """The places of a file, without those that are reached only with CUDA."""
        for node in source.nodes:
            for place in self._at(source, node):
                if not self._guards.reached_with_cuda_only(source, place.node):
                    yield place

    def _at(self, source: Source, node: cst.CSTNode) -> Iterator[Place | Stays]:
        match node:
            case cst.Call():
                yield from self._call(source, node)
            case cst.Attribute() | cst.Name():
                yield from _type(source, node)
            case cst.Assign(value=value) | cst.AnnAssign(value=value) if text_of(value) in _FIRST:
                assert value is not None
                yield Place(source, value, choice_of_name(source), chooses=True)
            case cst.Param(default=default) if text_of(default) in _FIRST:
                yield Stays(source, node, "a default is evaluated before the program chooses its device")
            case cst.DictElement(key=key, value=value) if text_of(key) == _PINS and _is_true(value):
                yield Place(source, value, is_cuda(source))
            case cst.Assert() if self._guards.needs_cuda(source, node.test):
                yield Stays(source, node, "the program requires CUDA here")
            case cst.If() if self._guards.refuses_cuda(source, node.test) and _ends(source, node.body):
                yield Stays(source, node.test, "the program ends here without CUDA")

    def _call(self, source: Source, call: cst.Call) -> Iterator[Place | Stays]:
        name = source.imported(call.func)
        method = call.func.attr.value if isinstance(call.func, cst.Attribute) and not name else ""
        if method == "cuda":
            yield self._cuda(source, call)
        elif name == "torch.load" and _says_nothing_of_location(call):
            for_parameters = is_for_parameters(source, call)
            yield Place(
                source, call, with_map_location if for_parameters else with_conditional_map_location(source)
            )
        elif name == "torch.device" and call.args:
            yield from _device(source, call)
        elif method == "pin_memory":
            yield _pinned(source, call)
        elif name in RAISE:
            yield _raising(source, call)
        elif build := automatic_precision.changed(source, call, name) or legacy.changed(source, call, name):
            receiver = call.func.value if isinstance(call.func, cst.Attribute) and method else None
            asks = source.builtin(call.func, "isinstance")
            yield Place(source, call, build, chooses=asks, moved=receiver)
        else:
            yield from self._literals(source, call, name)

    def _cuda(self, source: Source, call: cst.Call) -> Place | Stays:
        assert isinstance(call.func, cst.Attribute)
        if self._defines_cuda:
            return Stays(source, call, "it may be the method `cuda` that a class of the project defines")
        kept = kept_arguments(call)
        others = [arg for arg in call.args if arg not in kept]
        if not others:
            return Place(source, call, moved, moved=call.func.value)
        where = others[0].value
        if len(others) > 1 or others[0].star:
            return Stays(source, call, "its arguments cannot be assigned to parameters")
        if self._values.is_device(source, where) and not text_of(where):
            return Place(source, call, moved_as_told, chooses=True)
        if source.code(where) not in ("0", "None") and text_of(where) not in _FIRST:
            return Stays(source, call, f"it chooses a device by number: `{source.code(where)}`")
        if source in self._several:
            return Stays(source, call, "the file uses more than one device")
        return Place(source, call, moved, moved=call.func.value)

    def _literals(self, source: Source, call: cst.Call, name: str) -> Iterator[Place | Stays]:
        """The string literals for CUDA among the arguments of a call."""
        for position, arg in enumerate(call.args):
            if _pins(arg):
                yield Place(source, arg.value, is_cuda(source))
            text = text_of(arg.value)
            if text not in _FIRST and not text.startswith("cuda:"):
                continue
            if text not in _FIRST:
                yield Stays(source, arg.value, f"it names a second device, `{text}`")
            elif _is_default_of_option(call, arg):
                yield Place(source, arg.value, choice_of_name(source), chooses=True)
            elif automatic_precision.names_type(name, position, arg):
                yield Place(source, arg.value, kind(source))
            elif _is_device_argument(call, name, position, arg) or self._take_device(source, call, position):
                receiver = call.func.value if isinstance(call.func, cst.Attribute) and not name else None
                yield Place(source, arg.value, replaced, moved=receiver)
            elif name or not isinstance(call.func, cst.Attribute):
                yield Stays(source, arg.value, "whether this text is used as a device is unknown")

    def _take_device(self, source: Source, call: cst.Call, position: int) -> bool:
        """Whether all functions of the project that a call may call use an argument as a device."""
        passed_to = self._calls.parameters(source, call, position)
        return bool(passed_to) and all(map(self._values.is_used, passed_to))


def _says_nothing_of_location(call: cst.Call) -> bool:
    named = any(arg.star or (arg.keyword and arg.keyword.value == "map_location") for arg in call.args)
    return not named and sum(arg.keyword is None for arg in call.args) < 2


def _device(source: Source, call: cst.Call) -> Iterator[Place | Stays]:
    """`torch.device(…)`: an assigned one is the choice of a device; any other is replaced by the chosen
    device."""
    first, *rest = (arg.value for arg in call.args)
    text = text_of(first)
    if text in _FIRST and all(source.code(value) == "0" for value in rest):
        if isinstance(source.parent(call), (cst.Assign, cst.AnnAssign)):
            yield Place(source, call, choice_of_device(source), chooses=True)
        else:
            yield Place(source, call, replaced)
    elif text.startswith("cuda") or _is_numbered(first):
        yield Stays(source, call, "it chooses a device by number")


def _is_numbered(value: cst.BaseExpression) -> bool:
    """Whether a text is `cuda:` and a number: an f-string, `"cuda:" + str(n)`, `"cuda:{}".format(n)`."""
    match value:
        case cst.FormattedString(parts=[cst.FormattedStringText(value=text), *_]):
            return text.startswith("cuda")
        case cst.BinaryOperation():
            return text_of(value.left).startswith("cuda")
        case cst.Call(func=cst.Attribute(value=receiver, attr=cst.Name(value="format"))):
            return text_of(receiver).startswith("cuda")
        case _:
            return False


def _pinned(source: Source, call: cst.Call) -> Place | Stays:
    """`x.pin_memory()`, which raises without an accelerator."""
    assert isinstance(call.func, cst.Attribute)
    if isinstance(call.func.value, cst.Name) and not call.args:
        alone = isinstance(source.parent(call), (cst.Assign, cst.Arg, cst.Return))
        return Place(source, call, pinned_if_cuda(source, stands_alone=alone))
    return Stays(source, call, "it raises without CUDA, and what it pins is computed here")


def _raising(source: Source, call: cst.Call) -> Place | Stays:
    """A call that raises an error without CUDA: its statement becomes a branch, unless its value is
    needed."""
    parent = source.parent(call)
    outer = source.parent(parent) if isinstance(parent, cst.Arg) else None
    if isinstance(outer, cst.Call) and source.builtin(outer.func, "print"):
        parent = source.parent(outer)
    line = source.parent(parent) if isinstance(parent, cst.Expr) else None
    if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1:
        return Place(source, line, with_cuda_only(source))
    return Stays(source, call, f"`{source.code(call.func)}` raises without CUDA, and its value is needed")


def _pins(arg: cst.Arg) -> bool:
    """Whether an argument asks for pinned memory, which needs CUDA."""
    return arg.keyword is not None and arg.keyword.value == _PINS and _is_true(arg.value)


def _is_true(value: cst.BaseExpression) -> bool:
    return isinstance(value, cst.Name) and value.value == "True"


def _is_default_of_option(call: cst.Call, arg: cst.Arg) -> bool:
    """Whether an argument is the default of an option of `argparse`."""
    option = isinstance(call.func, cst.Attribute) and call.func.attr.value == "add_argument"
    return option and arg.keyword is not None and arg.keyword.value == "default"


def _is_device_argument(call: cst.Call, name: str, position: int, arg: cst.Arg) -> bool:
    if arg.keyword is not None:
        return arg.keyword.value in ("device", "map_location")
    if name in ("torch.Generator", "torch.set_default_device"):
        return position == 0
    if name == "torch.load":
        return position == 1
    return position == 0 and isinstance(call.func, cst.Attribute) and call.func.attr.value == "to"


def _type(source: Source, node: cst.Attribute | cst.Name) -> Iterator[Stays]:
    """A legacy type that is neither called at once nor the argument of a call that is replaced."""
    parent = source.parent(node)
    if isinstance(parent, (cst.Attribute, cst.Call, cst.ImportAlias, cst.AsName)):
        return
    if legacy.dtype_of(source.imported(node)) is None:
        return
    call = source.parent(parent) if isinstance(parent, cst.Arg) else None
    if isinstance(call, cst.Call) and legacy.changed(source, call, source.imported(call.func)) is not None:
        return
    yield Stays(source, node, "the type is passed as a value")


def _names_second_device(source: Source) -> bool:
    """Whether a file uses a device other than the first."""
    for node in source.nodes:
        if text_of(node).startswith("cuda:") and text_of(node) != "cuda:0":
            return True
        if (
            isinstance(node, cst.Call)
            and isinstance(node.func, cst.Attribute)
            and node.func.attr.value == "cuda"
        ):
            numbers = [arg.value for arg in node.args if isinstance(arg.value, cst.Integer)]
            if any(number.evaluated_value for number in numbers):
                return True
    return False


def _ends(source: Source, body: cst.BaseSuite) -> bool:
    """Whether a block ends the program: it raises or exits."""
    for statement in body.body:
        for each in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
            if isinstance(each, cst.Raise):
                return True
            if isinstance(each, cst.Expr) and isinstance(each.value, cst.Call):
                func = each.value.func
                if source.imported(func) in ("sys.exit", "os._exit") or source.builtin(func, "exit"):
                    return True
    return False
