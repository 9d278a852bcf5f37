"""The state of one activation: a function, a method, or the body of the file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from devlint.model import (
    CPU,
    Certainty,
    Device,
    Event,
    HotPath,
    Operation,
    Setting,
    SettingKind,
    SiteId,
    Subject,
    Symbol,
    SymbolKind,
)
from devlint.source import ir
from devlint.source.flow.evidence.evidence import Evidence
from devlint.source.flow.state.class_info import CONSTRUCTOR, ClassInfo
from devlint.source.flow.state.environment import Answer, Answers, Environment
from devlint.source.flow.state.surroundings import Program
from devlint.source.flow.state.values import (
    NONE,
    TOP,
    ClassValue,
    DeviceValue,
    External,
    Tensor,
    Value,
)
from devlint.source.walk import path

ON_HOST = DeviceValue(CPU)
"""Torch's default device, unless a program sets another."""


@dataclass(frozen=True, slots=True)
class Passed:
    """One argument of a call: what it is, and how it is written."""

    value: Value
    expression: ir.Expression
    keyword: str = ""
    stars: int = 0


@dataclass(frozen=True, slots=True)
class Returned:
    """What a function returns on one way through it, and what holds on that way."""

    value: Value
    tested: Answers = frozenset()


@dataclass(frozen=True, slots=True)
class Yielded:
    """What a generator gives out, and what holds meanwhile."""

    value: Value
    hot: HotPath | None
    default: DeviceValue
    """Where tensors made without a device go."""


@dataclass(slots=True)
class Frame:
    """Where the interpreter stands."""

    program: Program
    qualname: str
    environment: Environment
    evidence: Evidence = field(default_factory=Evidence)
    parameters: frozenset[str] = frozenset()
    enclosing: Frame | None = None
    info: ClassInfo | None = None
    """The class, in a method."""
    identity: int = -1
    """The function's, by which its callers know it."""
    hot: HotPath | None = None
    on_host: bool = False
    """In code that prepares data before it goes to a device."""
    is_export: bool = False
    """In a function that stands in for an operator in an exported graph, which is run by no device, or writes
    a module out, for which it is brought to the host as a rule."""
    cold: bool = False
    """In a part that is seldom reached, however hot the function: a logging branch, an error's text."""
    default_device: DeviceValue = ON_HOST
    """Where tensors made without a device go."""
    loops: list[frozenset[str]] = field(default_factory=list)
    """What each enclosing loop binds or changes."""
    breaks: list[list[Environment]] = field(default_factory=list)
    """For each enclosing loop, the states with which it was left."""
    continues: list[list[Environment]] = field(default_factory=list)
    """For each enclosing loop, the states with which a turn was cut short."""
    returns: list[Returned] = field(default_factory=list)
    yields: list[Yielded] = field(default_factory=list)
    demands: dict[Operation, Answers] = field(default_factory=dict)
    """Operations whose operands' devices the caller decides, each with what holds wherever it is done."""
    brought_down: set[Device] = field(default_factory=set)
    """From where the function copies values to the host."""
    read_as_array: set[Device] = field(default_factory=set)
    """Where what the function gives to NumPy as it is lies: on the host, or it would raise."""
    moved: dict[str, Device] = field(default_factory=dict)
    """Where the function has moved its parameters in place, as only modules can be."""
    assigned: dict[str, list[Value]] = field(default_factory=dict)
    """What was assigned to each attribute of `self`."""
    dropped: SiteId | None = None
    """The call that is a statement of its own."""
    statement: SiteId | None = None
    given_back: SiteId | None = None
    """The expression whose value is returned."""
    conditional: bool = False
    """In a part that a call of the function need not reach, besides loops."""
    restored: SiteId | None = None
    """The call whose result goes straight into `load_state_dict`."""
    constructed: bool = False
    """In a constructor: whether `super().__init__()` has been called."""
    silent: bool = False
    """In a part that is meant to raise, of which nothing is said."""
    keeps_text: bool = False
    """Inside an assignment's value."""
    first_time: bool = False
    """Inside a branch that is taken only until something has been made, perhaps."""
    guarded: bool = False
    """Inside a branch that is taken only where there is an accelerator."""
    started: SiteId | None = None
    """The first call seen here that starts the CUDA runtime, by itself or in what it calls."""
    waits: int = 0
    """How often the host has waited for the device so far."""
    work: int = 0
    """How many operations were given to an accelerator so far."""

    @property
    def is_body(self) -> bool:
        """Whether this is the body of the file."""
        return self.qualname == MODULE_BODY

    @property
    def is_test(self) -> bool:
        """Whether the function is a test, which runs once and may copy and wait as it likes."""
        name = self.qualname.rpartition(".")[2]
        return name.startswith("test_") or name.endswith("_test")

    @property
    def is_trial(self) -> bool:
        """Whether what is called here is only tried out: in a test, or in the body of the file."""
        return self.is_body or self.is_test

    @property
    def is_constructor(self) -> bool:
        """Whether this makes an object what it is."""
        return self.qualname.endswith(f".{CONSTRUCTOR}")

    @property
    def is_public_forward(self) -> bool:
        """Whether this is what a module does when it is called, wherever it has been moved."""
        return self.info is not None and self.qualname.endswith(".forward") and not self.is_private

    @property
    def is_private(self) -> bool:
        """Whether the function, or its class, is one for the file alone: `_pad`, `_Encoder.forward`, one
        inside another."""
        names = self.qualname.split(".")
        inner = self.info is None and self.enclosing is not None
        return inner or any(name.startswith("_") and not name.startswith("__") for name in names)

    def look_up(self, name: str) -> Value:
        """What a name or attribute path holds here: bound in this function, around it, or in the file."""
        frame: Frame | None = self
        while frame is not None:
            value = frame.environment.get(name)
            if value is not None:
                return value
            frame = frame.enclosing
        return self.program.globals.get(name) or TOP

    def is_bound(self, name: str) -> bool:
        """Whether a name is bound at all, here, around it, or in the file."""
        frame: Frame | None = self
        while frame is not None:
            if name in frame.environment.names:
                return True
            frame = frame.enclosing
        return name in self.program.globals.names

    def bind(self, target_path: str, value: Value) -> None:
        """Bind a name or attribute path."""
        self.environment.bind(target_path, value)

    def rebind(self, target_path: str, value: Value) -> None:
        """Bind a name or attribute path to what a change in place has made of it."""
        self.bind(target_path, value)
        if target_path.startswith("self.") and target_path.count(".") == 1:
            self.assigned.setdefault(target_path.removeprefix("self."), []).append(value)

    def canonical(self, dotted: str) -> str:
        """The canonical name of a dotted path that leads to something imported, else an empty string."""
        root, _, rest = dotted.partition(".")
        value = self.look_up(root)
        if not isinstance(value, External):
            return ""
        return f"{value.name}.{rest}" if rest else value.name

    def is_own_class(self, dotted: str) -> bool:
        """Whether a dotted path leads to a class of the project, in this file or another."""
        canonical = self.canonical(dotted)
        value = self.program.imports.value(External(canonical)) if canonical else self.look_up(dotted)
        return isinstance(value, ClassValue)

    def emit(self, event: Event) -> None:
        """Note what was seen here, unless no path leads here."""
        if self.environment.dead or self.silent:
            return
        if isinstance(event, Operation) and (self.conditional or self.loops):
            event = replace(event, conditional=True)
        self.program.emit(event, self)
        if isinstance(event, Operation):
            self.demand(event)

    def note_setting(
        self, kind: SettingKind, site: SiteId, value: str, detail: str = "", related: SiteId | None = None
    ) -> None:
        """Note something that decides about devices, here, if anybody asks for it."""
        if self.wants(kind):
            self.emit(Setting(site, self.hot, Certainty.PROVEN, kind, value, detail, related))

    def wants(self, subject: Subject) -> bool:
        """Whether anybody asks for settings or registrations about this: if not, they need no working out."""
        return subject in self.program.wanted

    def demand(self, event: Operation) -> None:
        """Keep an operation for the callers to check, if their arguments have a say in it."""
        if self.environment.dead or self.silent or self.is_export:
            return
        if event in self.demands:
            self.demands[event] &= self.environment.tested
            return
        parameters = (
            isinstance(o.device, Symbol) and not o.device.name.startswith("self") for o in event.operands
        )
        if any(parameters) and len(self.demands) < MOST_DEMANDS:
            self.demands[event] = self.environment.tested

    def stable_up_to_here(self, name: str) -> bool:
        """Whether a parameter still holds what the caller gave, or is known to be None as it was given."""
        value = self.environment.get(name)
        given = isinstance(value, Tensor) and value.untouched
        return (
            given
            or self.stable(name)
            or (value == NONE and Answer(name, is_none=True) in self.environment.tested)
        )

    def stable(self, name: str) -> bool:
        """Whether a name means the same throughout the function, so that a fix may use it anywhere in it."""
        return name not in self.evidence.rebound

    def bound_once(self, name: str) -> bool:
        """Whether a name is bound in one place only, outside of loops, and so holds the same at each use."""
        return name in self.evidence.bound_once

    def invariant(self, expression: ir.Expression) -> bool:
        """Whether an expression gives the same value in each turn of the innermost loop."""
        if not self.loops:
            return False
        name = path(expression)
        if not name:
            return False
        changed = self.loops[-1]
        parts = name.split(".")
        return not any(".".join(parts[:n]) in changed for n in range(1, len(parts) + 1))

    def changes_each_turn(self, expression: ir.Expression) -> bool:
        """Whether an expression is a name that the innermost loop changes."""
        return bool(self.loops) and isinstance(expression, ir.Name) and expression.name in self.loops[-1]

    def starts_accelerator(self, site: SiteId) -> None:
        """Note that a call starts the CUDA runtime."""
        if self.started is None:
            self.started = site

    def waited(self) -> None:
        """The host has waited for the device: what was under way is done."""
        self.waits += 1

    @contextmanager
    def on_path(self, hot: HotPath | None) -> Iterator[None]:
        """Interpret a part that lies on another kind of path."""
        before, self.hot = self.hot, hot
        try:
            yield
        finally:
            self.hot = before

    @contextmanager
    def keeping_text(self) -> Iterator[None]:
        """Interpret what is kept: a text in it is made for its own sake, and not to be looked at."""
        before, self.keeps_text = self.keeps_text, True
        try:
            yield
        finally:
            self.keeps_text = before

    @contextmanager
    def off_path(self) -> Iterator[None]:
        """Interpret a part that is seldom reached."""
        before = self.hot, self.cold
        self.hot, self.cold = None, True
        try:
            yield
        finally:
            self.hot, self.cold = before


OF_SELF = Symbol("self", SymbolKind.MODULE)
"""The device of the parameters of the module whose method is interpreted."""
MODULE_BODY = "<module>"
MOST_DEMANDS = 40
"""How many operations are kept of one function for its callers to check."""
