"""What a `def` and a `class` define, before any of their functions is interpreted."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.model import Choice, SettingKind
from devlint.source import ir
from devlint.source.flow.evidence.annotations import stated_fields
from devlint.source.flow.modules.classes import builds_layers, is_record
from devlint.source.flow.modules.layers import is_module_class
from devlint.source.flow.operators.places import note_literal
from devlint.source.flow.patterns.workers import is_data_set
from devlint.source.flow.state.class_info import ClassInfo
from devlint.source.flow.state.environment import Environment
from devlint.source.flow.state.frame import MODULE_BODY, Frame
from devlint.source.flow.state.surroundings import Program
from devlint.source.flow.state.values import ClassValue, DeviceValue, External, Value, as_device
from devlint.source.flow.syntax import statements
from devlint.source.flow.syntax.expressions import evaluate


def qualified(frame: Frame, name: str) -> str:
    """The qualified name of what is defined here."""
    return name if frame.qualname == MODULE_BODY else f"{frame.qualname}.{name}"


def evaluate_header(frame: Frame, node: ir.Function) -> None:
    """What happens where a function is defined: decorators and default arguments are evaluated."""
    for decorator in node.decorators:
        evaluate(frame, decorator)
    for parameter in node.parameters:
        if parameter.default is not None:
            _note_default(frame, parameter.name, parameter.default, evaluate(frame, parameter.default))


def _note_default(frame: Frame, name: str, default: ir.Expression, value: Value) -> None:
    """A default argument is evaluated once, when the file is imported."""
    if name.endswith("device") and as_device(value) is not None:
        note_literal(frame, value, default)
    if isinstance(value, DeviceValue) and isinstance(value.device, Choice):
        frame.note_setting(SettingKind.RESOLVED_AT_IMPORT, default.id, name)


def class_info(program: Program, node: ir.Class, frame: Frame) -> ClassInfo:
    """What the body of a class and its bases tell of it."""
    for decorator in node.decorators:
        evaluate(frame, decorator)
    bases = tuple(_base(frame, base) for base in node.bases)
    known = tuple(base for base in bases if isinstance(base, ClassValue))
    info = ClassInfo(node.name, node, known, program)
    info.outside = tuple(base.name for base in bases if isinstance(base, External))
    body = Frame(
        program,
        qualified(frame, node.name),
        Environment(),
        enclosing=frame if frame.qualname != MODULE_BODY else None,
    )
    for statement in node.body:
        if isinstance(statement, ir.Function):
            info.methods[statement.name] = statement
            program.define_function(statement, body, info)
        else:
            statements.run(body, (statement,))
    info.attributes.update({name: value for name, value in body.environment.names.items() if "." not in name})
    info.own_names = frozenset({*info.attributes, *info.methods})
    info.is_module = _is_module(info, bases, frame)
    info.is_record = is_record(info, frame.canonical)
    if info.is_record:
        fields = stated_fields(info, body)
        info.stated = tuple(fields)
        info.attributes.update(fields)
    info.is_data_set = is_data_set(bases)
    return info


def _base(frame: Frame, expression: ir.Expression) -> Value:
    """A base class; `Dataset` for `Dataset[int]`."""
    base = evaluate(frame, expression.value if isinstance(expression, ir.Subscript) else expression)
    return frame.program.imports.value(base) if isinstance(base, External) else base


def _is_module(info: ClassInfo, bases: Sequence[Value], frame: Frame) -> bool:
    for base in bases:
        if isinstance(base, ClassValue) and base.info.is_module:
            return True
        if isinstance(base, External) and is_module_class(base.name):
            return True
    # What a mixin is mixed with has state, and ways to move it, that are not seen here.
    info.unknown_base = info.name.endswith("Mixin") or any(
        not isinstance(base, ClassValue) and not _is_plain(base) for base in bases
    )
    # A class with a forward and a base from elsewhere is a module, and so is one that builds layers.
    return info.unknown_base and ("forward" in info.methods or builds_layers(info, frame.canonical))


def _is_plain(base: Value) -> bool:
    """Whether a base class is known to be no module: Python's own, those that only describe, and those of
    torch that hold no state to move."""
    if not isinstance(base, External):
        return False
    return base.name.partition(".")[0] in _PLAIN_PACKAGES or base.name.startswith(_PLAIN_PARTS_OF_TORCH)


_PLAIN_PACKAGES = frozenset(
    {"builtins", "abc", "enum", "typing", "collections", "dataclasses", "unittest", "threading"}
)
_PLAIN_PARTS_OF_TORCH = ("torch.distributions.", "torch.optim.", "torch.utils.data.", "torch.autograd.")
