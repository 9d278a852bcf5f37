"""What one branch moves to a device, and another leaves where it is.

Both bind one name, and what comes behind takes it for the same thing. Only the text of the branches is
compared: the move of one is the only evidence that the other lacks one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from devlint.model import CPU, Certainty, Setting, SettingKind
from devlint.operators import DeviceRule, find
from devlint.source import ir
from devlint.source.flow.state.frame import Frame
from devlint.source.flow.state.values import PARAMETER_MAKERS, TOP, ClassValue, DeviceValue, External
from devlint.source.flow.syntax.movers import MOVERS_BY_DEVICE
from devlint.source.walk import Node, path, taken_from, text, walk

_ABOUT_DEVICES = re.compile(r"device|cuda|cpu|gpu|xpu|npu|mps|meta|offload|available|numpy")
"""What a test says that has a reason to treat two branches apart, and a value that says where it is."""


class _Branches(NamedTuple):
    """An `if` with its `elif` and `else`, and what runs behind it whichever is taken."""

    tests: tuple[ir.Expression, ...]
    blocks: tuple[ir.Block, ...]
    behind: tuple[ir.Statement, ...]


class _Fate(NamedTuple):
    """What becomes of a name in a branch: what moves it, or what it is bound to without a move. Of the rest
    nothing is said."""

    move: ir.Call | None = None
    left: ir.Expression | None = None


def note_uneven_moves(frame: Frame) -> None:
    """Notes what a branch leaves where it is, though another one moves what gets the same name."""
    if not (frame.evidence.moves and frame.wants(SettingKind.UNEVEN_MOVE)) or frame.is_test:
        return
    for branches in _branches(frame.evidence.body, ()):
        if any(map(_is_about_devices, branches.tests)):
            continue
        for name in _bound_in(branches):
            fates = [_fate(frame, block, name) for block in branches.blocks]
            move = next((fate.move for fate in fates if fate.move is not None), None)
            if move is not None and not any(_settles(each, name) for each in branches.behind):
                for left in (fate.left for fate in fates if fate.left is not None):
                    if not _is_placed_already(branches, left, move):
                        _note(frame, left, name, move)


def _is_placed_already(branches: _Branches, left: ir.Expression, move: ir.Call) -> bool:
    """Whether the one is moved to the other, `x.to(left.device)`, or is made in place of what was not given,
    which is its giver's affair: `if bounds is None: bounds = torch.ones(4).to(device)`."""
    assert isinstance(move.function, ir.Attribute)
    if path(left) and any(text(each.value) == f"{path(left)}.device" for each in move.arguments):
        return True
    if path(move.function.value) or not path(left):
        return False
    return any(
        isinstance(node, ir.Compare)
        and text(node.left) == text(left)
        and any(isinstance(side, ir.Constant) and side.value is None for _, side in node.rest)
        for node in walk(branches.tests)
    )


def _note(frame: Frame, left: ir.Expression, name: str, move: ir.Call) -> None:
    """Notes it where it stands, wherever the function has got to in the end."""
    kind = SettingKind.UNEVEN_MOVE
    event = Setting(left.id, None, Certainty.PROVEN, kind, name, text(move), move.id)
    frame.program.emit(event, frame)


def _branches(block: ir.Block, behind: tuple[ir.Statement, ...]) -> Iterator[_Branches]:
    """Each choice with more than one way out of it that binds something, in the function itself."""
    for position, statement in enumerate(block):
        after = (*block[position + 1 :], *behind)
        if isinstance(statement, ir.If):
            tests, blocks = _ways(statement)
            if len(blocks) > 1:
                yield _Branches(tests, blocks, after)
            for inner in blocks:
                yield from _branches(inner, after)
        elif not isinstance(statement, ir.Function | ir.Class):
            for inner in _blocks_of(statement):
                yield from _branches(inner, after)


def _ways(statement: ir.If) -> tuple[tuple[ir.Expression, ...], tuple[ir.Block, ...]]:
    tests, blocks = [statement.test], [statement.then]
    while len(statement.orelse) == 1 and isinstance(statement.orelse[0], ir.If):
        statement = statement.orelse[0]
        tests.append(statement.test)
        blocks.append(statement.then)
    if statement.orelse:
        blocks.append(statement.orelse)
    return tuple(tests), tuple(blocks)


def _blocks_of(statement: ir.Statement) -> Iterator[ir.Block]:
    match statement:
        case ir.For(body=body, orelse=orelse) | ir.While(body=body, orelse=orelse):
            yield from (body, orelse)
        case ir.With(body=body):
            yield body
        case ir.Try(body=body, handlers=handlers, orelse=orelse, final=final):
            yield from (body, *(handler.body for handler in handlers), orelse, final)
        case ir.Match(cases=cases):
            yield from (case.body for case in cases)


def _is_about_devices(expression: ir.Expression) -> bool:
    return any(_says(node) for node in walk([expression]))


def _says(node: Node) -> bool:
    match node:
        case ir.Name(name=word) | ir.Attribute(name=word) | ir.Constant(value=str(word)):
            return _ABOUT_DEVICES.search(word.lower()) is not None
        case ir.Call(arguments=arguments):
            return any("device" in argument.keyword for argument in arguments)
        case _:
            return False


def _bound_in(branches: _Branches) -> list[str]:
    """The names, and attributes of `self`, that more than one of the branches binds by itself."""
    bound = [{_name_bound(statement) for statement in block} - {""} for block in branches.blocks]
    return sorted({name for one in bound for name in one if sum(name in other for other in bound) > 1})


def _name_bound(statement: ir.Statement) -> str:
    """`x` of `x = value`, `self.x` of `self.x = value`."""
    match statement:
        case ir.Assign(targets=(target,)):
            return path(target)
        case _:
            return ""


def _fate(frame: Frame, block: ir.Block, name: str) -> _Fate:
    """What a branch itself does, in order; what it may do in a branch of its own counts as unknown if it has
    to do with devices."""
    fate = _Fate()
    for statement in block:
        if isinstance(statement, ir.Assign) and _name_bound(statement) == name:
            move = _move_in(frame, statement.value)
            if move is not None:
                fate = _Fate(move=move)
            elif fate == _Fate() or not _is_made_of(statement.value, name):
                fate = _Fate(left=statement.value if _stays(frame, statement.value) else None)
        elif any(_is_about_devices(each.value) for each in _bindings_of(statement, name)):
            fate = _Fate()
    return fate


def _bindings_of(statement: ir.Statement, name: str) -> Iterator[ir.Assign]:
    for node in walk([statement]):
        if isinstance(node, ir.Assign) and any(text(target) == name for target in node.targets):
            yield node


def _move_in(frame: Frame, value: ir.Expression) -> ir.Call | None:
    """The move at the root of `x.to(device).float()[0]`, if it leads to what may be an accelerator."""
    for step in taken_from(value):
        match step:
            case ir.Call(function=ir.Attribute(name="cuda")):
                return step
            case ir.Call(function=ir.Attribute(name="to")) if _leads_to_device(frame, step):
                return step
    return None


def _leads_to_device(frame: Frame, move: ir.Call) -> bool:
    """`.to(device)`, `.to("cuda", non_blocking=True)`, `.to(dtype=dtype, device=x.device)`."""
    for position, argument in enumerate(move.arguments):
        if argument.keyword == "device" or (position == 0 and not argument.keyword):
            name = path(argument.value)
            known = frame.look_up(name) if name else None
            if isinstance(known, DeviceValue):
                return known.device != CPU
            if isinstance(argument.value, ir.Constant):
                return str(argument.value.value).startswith("cuda")
            return isinstance(argument.value, ir.Name | ir.Attribute) and argument.value.name.endswith(
                "device"
            )
    return False


def _stays(frame: Frame, value: ir.Expression) -> bool:
    """Whether a value lies where it came from: it has another name, or is made by torch without a device, by
    a class, or by what the function was given."""
    if _is_about_devices(value):
        return False
    match value:
        case ir.Name() | ir.Attribute():
            return bool(path(value))
        case ir.Call(function=ir.Name(name=name)) if name in frame.parameters:
            return True
        case ir.Call(function=function) if path(function):
            return _makes_anew(frame, path(function))
        case _:
            return False


def _makes_anew(frame: Frame, dotted: str) -> bool:
    """Whether a call makes a tensor on the host, a parameter of what it is given, or an object of a class."""
    canonical = frame.canonical(dotted)
    operator = find(canonical) if canonical else None
    if operator is not None:
        return operator.rule is DeviceRule.FACTORY or canonical in PARAMETER_MAKERS
    known = frame.look_up(dotted)
    if isinstance(known, External):
        known = frame.program.imports.value(known)
    return isinstance(known, ClassValue) or (known is TOP and "." not in dotted)


def _is_made_of(value: ir.Expression, name: str) -> bool:
    return any(isinstance(node, ir.Name | ir.Attribute) and text(node) == name for node in walk([value]))


def _settles(statement: ir.Statement, name: str) -> bool:
    """Whether a statement behind the branches moves what they have bound, whichever was taken, or asks first
    whether there is a device."""
    if isinstance(statement, ir.If) and not _is_about_devices(statement.test):
        return False
    return any(
        isinstance(node, ir.Call)
        and isinstance(node.function, ir.Attribute)
        and node.function.name in MOVERS_BY_DEVICE
        and _is_made_of(node.function.value, name)
        for node in walk([statement])
    )
