"""Definitions of functions and classes, and the effects of decorators."""

from __future__ import annotations

from devlint.model import SettingKind
from devlint.source import ir
from devlint.source.machine.domain.naming import device_named
from devlint.source.machine.domain.values import TOP, External, Known, Method, Reference, Top, Value
from devlint.source.machine.heap.files import CONFIGURED, Class, Function, Scope
from devlint.source.machine.heap.frames import Call, Frame, Passed
from devlint.source.machine.heap.objects import BoundMethod, Instance
from devlint.source.machine.library import commands
from devlint.source.machine.transfer.dispatching import join, register
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.machine.transfer.kept_names import note_closure

_MARKS = {
    "builtins.staticmethod": "staticmethod",
    "builtins.classmethod": "classmethod",
    "builtins.property": "property",
    "functools.cached_property": "property",
    "abc.abstractmethod": "abstract",
    "functools.lru_cache": "cached",
    "functools.cache": "cached",
    "functools.singledispatch": "singledispatch",
    "contextlib.contextmanager": "contextmanager",
    "contextlib.asynccontextmanager": "contextmanager",
    "dataclasses.dataclass": "dataclass",
    "pydantic.dataclasses.dataclass": "dataclass",
    "attr.s": "dataclass",
    "attr.attrs": "dataclass",
    "attrs.define": "dataclass",
    "attrs.frozen": "dataclass",
    "attrs.mutable": "dataclass",
    "attr.define": "dataclass",
    "attr.frozen": "dataclass",
    "attr.mutable": "dataclass",
    "attr.dataclass": "dataclass",
    "torch.no_grad": "",
    "torch.inference_mode": "",
    "hydra.main": CONFIGURED,
}
"""The marks that decorators set. Other decorators from outside the project return the function or class
unchanged."""
_COMPILED = "compiled"
_COMPILERS = frozenset(
    {"triton.jit", "triton.runtime.jit.jit", "tilelang.language.prim_func", "tilelang.prim_func",
     "tvm.script.tir.prim_func", "numba.jit", "numba.njit", "numba.vectorize", "numba.guvectorize",
     "numba.cuda.jit", "taichi.kernel", "taichi.func", "warp.kernel", "warp.func", "cupyx.jit.rawkernel",
     "cutlass.cute.kernel", "cutlass.cute.jit"}
)  # fmt: skip
"""Decorators that compile a function's source text for another machine than Python's: what its text says of
tensors is not what torch does with them."""
_RECORD_BASES = {
    "typing.NamedTuple": "namedtuple",
    "typing.TypedDict": "typeddict",
    "typing_extensions.TypedDict": "typeddict",
    "pydantic.BaseModel": "dataclass",
    "pydantic_settings.BaseSettings": "dataclass",
    "enum.Enum": "enum",
    "enum.IntEnum": "enum",
    "enum.StrEnum": "enum",
}


def define_function(machine: Interpreter, node: ir.FunctionDef, frame: Frame) -> None:
    """`def name(...)`."""
    owner = frame.scope.owner
    scope = frame.scope if owner is None else frame.scope.outer
    assert scope is not None
    around = owner.name if owner is not None else frame.function.qualname if frame.function else ""
    qualname = f"{around}.{node.name}" if around else node.name
    made = Function(node, scope, frame.file, qualname, defaults(machine, node.parameters, frame), owner)
    held: Value = machine.adopt(made)
    made.file.functions.append(made)
    note_closure(made, frame)
    for decorator in reversed(node.decorators):
        held = _decorated(machine, decorator, held, made, frame)
    if _COMPILED in made.marks:
        made.file.functions.remove(made)
    home = frame.scope.home(node.name)
    if made.decorators:
        join(machine, made, home.cells.get(node.name), frame)
    machine.store.write(home, node.name, held)


def defaults(machine: Interpreter, parameters: tuple[ir.Parameter, ...], frame: Frame) -> dict[str, Value]:
    """The defaults of parameters, evaluated where the function is defined."""
    held: dict[str, Value] = {}
    for each in parameters:
        if each.default is not None:
            asked = machine.process.facts.questions
            held[each.name] = machine.evaluate(each.default, frame)
            if asked != machine.process.facts.questions and frame.function is None:
                _note_decided(machine, each, held[each.name], frame)
    return held


def _note_decided(machine: Interpreter, parameter: ir.Parameter, default: Value, frame: Frame) -> None:
    """Record a default argument that chooses a device when the file is imported."""
    if parameter.default is not None and device_named(default) is not None:
        kind = SettingKind.RESOLVED_AT_IMPORT
        site = frame.site(parameter.default)
        machine.setting(kind, site, parameter.name, confidence=machine.root_confidence)


def _decorated(
    machine: Interpreter, decorator: ir.Expression, held: Value, made: Function | Class, frame: Frame
) -> Value:
    """The result of a decorator for a function or class."""
    if isinstance(decorator, ir.Attribute) and decorator.name in ("setter", "deleter"):
        before = machine.evaluate(decorator.value, frame)
        if isinstance(before, Reference) and isinstance(made, Function):
            before.target.cells[decorator.name] = held
            return before
        return held
    if isinstance(made, Function) and register(machine, decorator, held, made, frame):
        return held
    value = machine.evaluate(decorator, frame)
    passed = Passed(held, decorator, frame.site(decorator))
    if commands.is_decorator(value):
        return machine.call(value, Call([passed], frame, decorator))
    name = _external_name(value)
    if isinstance(value, Top) and isinstance(decorator, ir.CallExpression):
        name = _external_name(machine.evaluate(decorator.function, frame))  # `@dataclass(frozen=True)`
    if name in _COMPILERS:
        made.marks |= {_COMPILED}
        return TOP
    if name is not None:
        mark = _MARKS.get(name)
        if mark:
            made.marks |= {mark}
        elif name and name not in _MARKS and isinstance(made, Function):
            made.decorators |= {name}
        return held
    if isinstance(value, Reference) and isinstance(value.target, (Function, BoundMethod, Class)):
        result = machine.call(value, Call([passed], frame, decorator))
        return held if isinstance(result, Top) else result
    return held


def _external_name(value: Value) -> str | None:
    """The name of a decorator from outside the project, whether it is called or not."""
    match value:
        case External(name=name):
            return name
        case Reference(target=Instance(of=str(name))):
            return name
        case Method():
            return ""
        case _:
            return None


def define_class(machine: Interpreter, node: ir.ClassDef, frame: Frame) -> None:
    """`class name(...)`."""
    bases = tuple(machine.evaluate(base, frame) for base in node.bases)
    made = Class(node, frame.file, bases)
    made.order = linearized(made)
    made.metaclass = _metaclass(machine, made, frame)
    reference = machine.adopt(made)
    scope = Scope(frame.scope, frame.file, owner=made)
    made.cells = scope.cells
    for base in made.externals:
        if base in _RECORD_BASES:
            made.marks |= {_RECORD_BASES[base]}
    for each in made.order[1:]:
        if isinstance(each, Class):
            made.marks |= each.marks
    made.file.classes.append(made)
    machine.run_block(node.body, Frame(frame.file, scope, frame.function))
    if "enum" in made.marks:
        _make_members(machine, made, frame)
    held: Value = reference
    for decorator in reversed(node.decorators):
        held = _decorated(machine, decorator, held, made, frame)
    machine.store.write(frame.scope.home(node.name), node.name, held)


def _metaclass(machine: Interpreter, made: Class, frame: Frame) -> Class | None:
    for each in made.node.keywords:
        if each.keyword == "metaclass":
            held = machine.evaluate(each.value, frame)
            return held.target if isinstance(held, Reference) and isinstance(held.target, Class) else None
    bases = (each for each in made.order[1:] if isinstance(each, Class))
    return next((each.metaclass for each in bases if each.metaclass is not None), None)


def _make_members(machine: Interpreter, made: Class, frame: Frame) -> None:
    """The members of an enumeration: objects with a name and a value."""
    for name, held in list(made.cells.items()):
        if isinstance(name, str) and not name.startswith("_") and not isinstance(held, Reference):
            member = Instance(made, frame.site(made.node))
            member.cells = {"name": Known(name), "value": held}
            made.cells[name] = machine.adopt(member)


def linearized(made: Class) -> tuple[Class | str, ...]:
    """The order of attribute lookup: depth first, each class after all that derive from it."""
    order: list[Class | str] = []
    for base in made.bases:
        if isinstance(base, Reference) and isinstance(base.target, Class):
            order += base.target.order
        elif isinstance(base, External):
            order.append(base.name)
        else:
            order.append("?")
    last = {each: at for at, each in enumerate(order)}
    return (made, *(each for at, each in enumerate(order) if last[each] == at))
