"""A file as a whole: its body, its functions and classes, and what has been seen."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.model import (
    CPU,
    Certainty,
    Choice,
    Event,
    Kind,
    Origin,
    OriginStep,
    Setting,
    SettingKind,
    SiteId,
    Step,
    Symbol,
    SymbolKind,
)
from devlint.source import ir
from devlint.source.flow import hot, statements
from devlint.source.flow.classes import attributes_after, builds_layers
from devlint.source.flow.environment import Environment
from devlint.source.flow.evidence import Evidence, annotated_kind, gather
from devlint.source.flow.expressions import evaluate
from devlint.source.flow.frame import Frame, Passed
from devlint.source.flow.modules import ClassInfo, is_module_class
from devlint.source.flow.summaries import Summary, bind_arguments, substitute
from devlint.source.flow.values import (
    SCALAR,
    TOP,
    Array,
    Batch,
    ClassValue,
    Container,
    DeviceValue,
    External,
    FunctionValue,
    Generator,
    Instance,
    Loader,
    Module,
    Optimizer,
    Tensor,
    Value,
    join_all,
)
from devlint.source.walk import path, walk

DEEPEST_CALL = 12
"""How deep calls of the file's own functions are followed at once; deeper ones are taken as unknown."""
MODULE_BODY = "<module>"


class Program:
    """The interpreter of one file. Each function is interpreted once, with its parameters as symbols."""

    def __init__(self, *, sets_current_device: bool = False) -> None:
        self.globals = Environment()
        self.sets_current_device = sets_current_device
        self.cuda_initialized: SiteId | None = None
        self.visible_devices: int | None = None
        self._events: dict[Event, None] = {}
        self._pending: list[tuple[FunctionValue, Frame]] = []
        self._scopes: dict[int, Frame] = {}
        self._summaries: dict[int, Summary] = {}
        self._under_way: set[int] = set()

    @property
    def events(self) -> tuple[Event, ...]:
        """All that was seen, in the order in which it was first seen."""
        return tuple(self._events)

    def run(self, body: ir.Block) -> None:
        """Interpret the body of the file, then every function that it or another function defines."""
        frame = Frame(self, MODULE_BODY, self.globals)
        statements.run(frame, body)
        self.globals.dead = False
        position = 0
        while position < len(self._pending):
            callee, _ = self._pending[position]
            self._summary(callee)
            position += 1

    def emit(self, event: Event) -> None:
        """Note what was seen, once."""
        self._events.setdefault(event)

    def initialized_by(self, site: SiteId) -> None:
        """Note that a call starts the CUDA runtime."""
        if self.cuda_initialized is None:
            self.cuda_initialized = site

    def define_function(self, node: ir.Function, frame: Frame, info: ClassInfo | None = None) -> FunctionValue:
        """The value of a `def`; its body is interpreted later, when its surroundings are complete."""
        for decorator in node.decorators:
            evaluate(frame, decorator)
        for parameter in node.parameters:
            if parameter.default is not None:
                self._note_default(frame, parameter, evaluate(frame, parameter.default))
        qualname = node.name if frame.qualname == MODULE_BODY else f"{frame.qualname}.{node.name}"
        value = FunctionValue(node, node.id, qualname, info)
        if node.id not in self._scopes:
            self._pending.append((value, frame))
        self._scopes[node.id] = frame
        return value

    def _note_default(self, frame: Frame, parameter: ir.Parameter, value: Value) -> None:
        """A default argument is evaluated once, when the file is imported."""
        resolved = isinstance(value, DeviceValue) and isinstance(value.device, Choice)
        if resolved and parameter.default is not None:
            frame.emit(
                Setting(
                    site=parameter.default.id,
                    hot=None,
                    certainty=Certainty.PROVEN,
                    kind=SettingKind.RESOLVED_AT_IMPORT,
                    value=parameter.name,
                )
            )

    def define_class(self, node: ir.Class, frame: Frame) -> ClassValue:
        """The value of a `class`: its methods, and its attributes as far as its own body sets them."""
        for decorator in node.decorators:
            evaluate(frame, decorator)
        bases = tuple(evaluate(frame, base) for base in node.bases)
        info = ClassInfo(node.name, node, tuple(base for base in bases if isinstance(base, ClassValue)))
        qualname = node.name if frame.qualname == MODULE_BODY else f"{frame.qualname}.{node.name}"
        body = Frame(self, qualname, Environment(), enclosing=frame if frame.qualname != MODULE_BODY else None)
        for statement in node.body:
            if isinstance(statement, ir.Function):
                info.methods[statement.name] = statement
                self.define_function(statement, body, info)
            else:
                statements.run(body, (statement,))
        info.attributes.update({name: value for name, value in body.environment.names.items() if "." not in name})
        info.is_module = self._is_module(info, bases, frame)
        return ClassValue(info)

    def _is_module(self, info: ClassInfo, bases: Sequence[Value], frame: Frame) -> bool:
        for base in bases:
            if isinstance(base, ClassValue) and base.info.is_module:
                return True
            if isinstance(base, External) and is_module_class(base.name):
                return True
        # A base from elsewhere: a class with a forward that builds layers in its constructor is a module.
        elsewhere = any(isinstance(base, External) and not base.name.startswith("builtins.") for base in bases)
        return elsewhere and "forward" in info.methods and builds_layers(info, frame.canonical)

    def call_function(self, callee: FunctionValue, passed: Sequence[Passed], receiver: Value | None) -> Value:
        """What a function of the file returns for these arguments."""
        if len(self._under_way) >= DEEPEST_CALL:
            return TOP
        summary = self._summary(callee)
        if callee.function.is_async:
            return TOP
        is_method = callee.info is not None and not _is_static(callee.function)
        bindings = bind_arguments(
            callee.function.parameters, passed, skip_first=is_method and receiver is not None
        )
        return substitute(summary.returns, bindings)

    def _summary(self, callee: FunctionValue) -> Summary:
        known = self._summaries.get(callee.identity)
        if known is not None:
            return known
        if callee.identity in self._under_way:
            return Summary(TOP)
        self._under_way.add(callee.identity)
        try:
            summary = self._interpret(callee)
        finally:
            self._under_way.discard(callee.identity)
        self._summaries[callee.identity] = summary
        return summary

    def _interpret(self, callee: FunctionValue) -> Summary:
        node, info = callee.function, callee.info
        if info is not None:
            self._complete(info, callee)
        scope = self._scopes.get(callee.identity)
        enclosing = scope.enclosing if info is not None and scope is not None else scope
        if enclosing is not None and enclosing.qualname == MODULE_BODY:
            enclosing = None
        frame = Frame(self, callee.qualname, Environment(), enclosing=enclosing, info=info)
        kind = hot.of_function(info, node.name)
        frame.hot = kind
        frame.evidence = gather(node, frame.canonical, inputs_are_tensors=info is not None and info.is_module)
        for position, parameter in enumerate(node.parameters):
            frame.environment.names[parameter.name] = _parameter_value(frame, parameter, position)
        statements.run(frame, node.body)
        if info is not None and node.name == "__init__":
            attributes_after(frame, info)
        if not frame.environment.dead:
            frame.returns.append(TOP if _is_generator(node) else _NOTHING)
        returned = [value for value in frame.returns if value != _NOTHING] or [_NOTHING]
        return Summary(TOP if _is_generator(node) else join_all(returned))

    def _complete(self, info: ClassInfo, callee: FunctionValue) -> None:
        """Work out the attributes of a class before its methods are interpreted."""
        for base in reversed(info.lineage()):
            constructor = base.methods.get("__init__")
            if base.resolved:
                continue
            base.resolved = True
            if constructor is not None and constructor.id != callee.identity:
                scope = self._scopes.get(constructor.id)
                qualname = f"{scope.qualname}.__init__" if scope is not None else f"{base.name}.__init__"
                self._summary(FunctionValue(constructor, constructor.id, qualname, base))


_NOTHING = TOP


def _is_static(node: ir.Function) -> bool:
    return any(path(decorator) == "staticmethod" for decorator in node.decorators)


def _is_generator(node: ir.Function) -> bool:
    return any(isinstance(child, ir.Yield) for child in walk(node.body))


def _parameter_value(frame: Frame, parameter: ir.Parameter, position: int) -> Value:  # noqa: PLR0911, PLR0912
    """What a parameter holds when its function is entered."""
    name = parameter.name
    if parameter.stars:
        return Container(TOP)
    if position == 0 and frame.info is not None and name in {"self", "cls"}:
        return Instance(frame.info) if name == "self" else ClassValue(frame.info)
    kind = frame.evidence.kinds.get(name)
    stable = frame.stable(name)
    match kind:
        case Kind.TENSOR:
            return _tensor_parameter(parameter, evident=True, stable=stable)
        case Kind.MODULE:
            symbol = Symbol(name, SymbolKind.MODULE)
            return Module(symbol, Origin((OriginStep(Step.PARAMETER, parameter.id, symbol, name),)))
        case Kind.DEVICE:
            is_object = True if annotated_kind(parameter.annotation, frame.canonical) is Kind.DEVICE else None
            return DeviceValue(Symbol(name, SymbolKind.DEVICE), name if stable else "", is_object)
        case Kind.OPTIMIZER:
            return Optimizer()
        case Kind.LOADER:
            step = OriginStep(Step.PARAMETER, parameter.id, CPU, name)
            return Loader(Batch(Tensor(CPU, Origin((step,)), conventional=True)))
        case Kind.GENERATOR:
            return Generator(Symbol(name, SymbolKind.DEVICE))
        case Kind.SCALAR:
            return SCALAR
        case Kind.ARRAY:
            return Array()
        case Kind.UNKNOWN:
            return TOP
        case _:
            if name == "device":
                return DeviceValue(Symbol(name, SymbolKind.DEVICE), name if stable else "")
            return _tensor_parameter(parameter, evident=False, stable=stable)


def _tensor_parameter(parameter: ir.Parameter, *, evident: bool, stable: bool) -> Tensor:
    symbol = Symbol(parameter.name, SymbolKind.TENSOR)
    step = OriginStep(Step.PARAMETER, parameter.id, symbol, parameter.name)
    anchor = f"{parameter.name}.device" if stable else ""
    return Tensor(symbol, Origin((step,)), evident, anchor=anchor)

