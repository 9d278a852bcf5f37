"""A file as a whole: its body, its functions and classes, and what has been seen."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.model import (
    CPU,
    EVERY_SUBJECT,
    UNKNOWN,
    Device,
    Event,
    SiteId,
    Subject,
)
from devlint.source import ir
from devlint.source.flow.evidence.evidence import Evidence, gather
from devlint.source.flow.evidence.parameters import parameter_value
from devlint.source.flow.evidence.purposes import purpose_of, writes_a_model
from devlint.source.flow.functions import hot
from devlint.source.flow.functions.applying import apply, arguments_of
from devlint.source.flow.functions.callgraph import CallGraph, with_overrides
from devlint.source.flow.functions.stores import changed_parts, set_on_others
from devlint.source.flow.functions.summaries import Demand, Summary, seen_here
from devlint.source.flow.modules.classes import (
    binding_methods,
    bound_by,
    moving_methods,
    settle,
)
from devlint.source.flow.modules.moved_modules import forget_moved_by_functions
from devlint.source.flow.modules.plain_containers import note_plain_containers
from devlint.source.flow.patterns.assumptions import computes, rests_on_assumption
from devlint.source.flow.patterns.contradictions import contradictions
from devlint.source.flow.patterns.fates import places_the_rest
from devlint.source.flow.patterns.idle_devices import note_idle_devices
from devlint.source.flow.patterns.portability import is_for_here
from devlint.source.flow.patterns.strictness import note_made_elsewhere, note_plain_tensors
from devlint.source.flow.patterns.uneven_moves import note_uneven_moves
from devlint.source.flow.patterns.workers import Workers
from devlint.source.flow.sightings import Notes, means_something, needs_torch
from devlint.source.flow.state.activations import Activations
from devlint.source.flow.state.class_info import CONSTRUCTOR, ClassInfo
from devlint.source.flow.state.environment import Environment
from devlint.source.flow.state.frame import MODULE_BODY, Frame, Passed, Returned
from devlint.source.flow.state.surroundings import Asked
from devlint.source.flow.state.values import (
    NONE,
    TOP,
    ClassValue,
    DeviceValue,
    External,
    FunctionValue,
    Instance,
    Value,
)
from devlint.source.flow.syntax import generators, statements
from devlint.source.flow.syntax.decorators import may_be_replaced
from devlint.source.flow.syntax.definitions import class_info, evaluate_header, qualified
from devlint.source.flow.syntax.imports import Files, Imports
from devlint.source.walk import assigned_names


class Program:
    """The interpreter of one file. Each function is interpreted once, with its parameters as symbols."""

    def __init__(
        self,
        path: str = "",
        *,
        sets_current_device: bool = False,
        sets_default_device: bool = False,
        rebound_globals: frozenset[str] = frozenset(),
        workers_start_afresh: bool = False,
        knows_torch: bool = True,
        activations: Activations | None = None,
        files: Files | None = None,
        wanted: frozenset[Subject] = EVERY_SUBJECT,
    ) -> None:
        """`rebound_globals` are the names that some function declares `global`. A file that does not know
        torch may be about tensors of another library. `activations` are shared with the other files that are
        interpreted together, to which `files` leads. Settings and registrations are noted only if they are
        about what is `wanted`."""
        self.path = path
        self.wanted = wanted
        self._purpose = purpose_of(path)
        self._knows_torch = knows_torch
        self.in_body = False
        self.imports = Imports(files)
        self._body = Frame(self, MODULE_BODY, Environment())
        self.sets_current_device = sets_current_device
        self.sets_default_device = sets_default_device
        self.visible_devices: int | None = None
        self.workers = Workers(self, afresh=workers_start_afresh)
        self.runs_on_host = False
        self.asked_for: set[str] = set()
        self._seen = Notes()
        self._noting = self._seen
        """Where is written down what is seen in the activation under way."""
        self._activations = Activations() if activations is None else activations
        self._constructors: set[int] = set()
        self._builders: set[int] = set()
        self._overrides: list[tuple[int, int]] = []
        """Methods, each with one of a derived class that takes its place."""
        self._rebound_globals = rebound_globals
        self._pending: list[tuple[FunctionValue, Frame]] = []
        self._scopes: dict[int, Frame] = {}
        self._summaries: dict[int, Summary] = {}
        self._evidence: dict[int, Evidence] = {}
        self.asked: dict[SiteId, Asked] = {}
        self._set_on_others: frozenset[str] | None = None

    @property
    def events(self) -> tuple[Event, ...]:
        """All that was seen, in the order in which it was first seen."""
        host_names = frozenset(name for evidence in self._evidence.values() for name in evidence.on_host)
        calls = CallGraph(self._seen.calls)
        virtual = CallGraph(with_overrides(self._seen.calls, self._overrides))
        constructors, builders = frozenset(self._constructors), frozenset(self._builders)
        seen = self._seen.settled(calls, virtual, constructors, builders, host_names)
        return (*(event for event in seen if is_for_here(event, self)), *self.workers.settings(calls))

    def run(self, body: ir.Block) -> None:
        """Interpret the body of the file, then every function that it or another function defines."""
        self.run_body(body)
        self.run_functions()

    def run_functions(self) -> None:
        """Interpret every function that the body or another function defines, unless that has been done."""
        position = 0
        while position < len(self._pending):
            callee, _ = self._pending[position]
            self.summary(callee)
            position += 1

    def run_body(self, body: ir.Block) -> None:
        """Interpret the body of the file alone: it defines functions, and calls some."""
        self._body.evidence = Evidence(rebound=assigned_names(body), body=body)
        self.in_body = True
        try:
            statements.run(self._body, body)
        finally:
            self.in_body = False
        self.globals.dead = False
        self.globals.forget(self._rebound_globals)
        forget_moved_by_functions(self.globals, body)

    @property
    def globals(self) -> Environment:
        """What the body of the file has bound."""
        return self._body.environment

    @property
    def set_from_outside(self) -> frozenset[str]:
        """The attributes that the file sets on other objects than `self`."""
        if self._set_on_others is None:
            self._set_on_others = set_on_others(self._body.evidence.body)
        return self._set_on_others

    def take_apart(self) -> None:
        """Let go of everything, now that nobody asks any more: what a file defines leads back to the file, so
        that its memory would wait for the garbage collector."""
        vars(self).clear()

    def exported(self, name: str) -> Value | None:
        """What the file binds to a name, for others to import."""
        value = self.globals.get(name)
        if value is None:
            return self.imports.from_stars(name)
        return self.imports.value(value) if isinstance(value, External) else value

    def emit(self, event: Event, frame: Frame) -> None:
        """Note what was seen, where it means anything."""
        if means_something(event, frame, self._purpose) and (self._knows_torch or not needs_torch(event)):
            self._noting.note_event(event, frame)

    @property
    def started_at_import(self) -> SiteId | None:
        """The first call of the file's body that starts the CUDA runtime."""
        return self._body.started

    def define_function(
        self, node: ir.Function, frame: Frame, info: ClassInfo | None = None
    ) -> FunctionValue:
        """The value of a `def`; its body is interpreted later, when its surroundings are complete."""
        evaluate_header(frame, node)
        qualname = qualified(frame, node.name)
        value = FunctionValue(node, node.id, qualname, info, self)
        if node.id not in self._scopes:
            self._pending.append((value, frame))
        self._scopes[node.id] = frame
        return value

    def define_lambda(self, node: ir.Function, frame: Frame) -> FunctionValue:
        """The value of a `lambda`, which is interpreted only where it is seen to be called."""
        self._scopes[node.id] = frame
        return FunctionValue(node, node.id, f"{frame.qualname}.{node.name}", None, self)

    def define_class(self, node: ir.Class, frame: Frame) -> ClassValue:
        """The value of a `class`: its methods, and its attributes as far as its own body sets them."""
        info = class_info(self, node, frame)
        self._overrides.extend(info.overrides())
        return ClassValue(info)

    def call_function(
        self,
        frame: Frame,
        site: SiteId,
        callee: FunctionValue,
        passed: Sequence[Passed],
        receiver: Value | None,
    ) -> Value:
        """What a function of the project returns for these arguments; notes what they bring about in it."""
        arguments = arguments_of(callee, passed, receiver)
        if isinstance(callee.home, Program) and callee.home is not self:
            summary = seen_here(callee.home.summary(callee), site, callee.qualname)
            returned = apply(frame, site, callee, summary, arguments, receiver, {})
        else:
            self._noting.note_call(frame, callee.identity, arguments)
            # What an inner function closes over stays what it is.
            is_around = self._scopes.get(callee.identity) is frame
            enclosed = {name: frame.look_up(name) for name in frame.parameters} if is_around else {}
            returned = apply(frame, site, callee, self.summary(callee), arguments, receiver, enclosed)
        note_made_elsewhere(frame, site, callee.qualname, returned)
        return returned

    def summary(self, callee: FunctionValue) -> Summary:
        """What a function of the file comes to, whatever it is given."""
        return self._activations.summary(self, callee)

    def set_default(self, device: Device) -> None:
        """Note what is made torch's default device."""
        self._noting.default_devices.add(device)

    def make_record(self, made: Instance, frame: Frame) -> None:
        """Note what the fields of a dataclass are given."""
        if made.info.home is self:
            self._noting.note_record(made, frame)

    def construct(self, info: ClassInfo, passed: Sequence[Passed]) -> None:
        """Note what lies on the host of what the constructor of a class is given."""
        found = info.method(CONSTRUCTOR)
        if found is not None and found[1].home is self:
            self._noting.note_construction(found[0], passed)

    def known(self, callee: FunctionValue) -> Summary | None:
        """What is kept of a function."""
        return self._summaries.get(callee.identity)

    def keep(self, callee: FunctionValue, summary: Summary, notes: Notes) -> None:
        """Keep what an interpretation has shown."""
        self._summaries[callee.identity] = summary
        self._seen.add(notes)

    def interpret(self, callee: FunctionValue) -> tuple[Summary, Notes]:
        """Interpret a function, and keep nothing."""
        before, self._noting = self._noting, Notes()
        try:
            return self._interpret(callee), self._noting
        finally:
            self._noting = before

    def _interpret(self, callee: FunctionValue) -> Summary:
        frame = self._enter(callee)
        statements.run(frame, callee.function.body)
        node, info = callee.function, callee.info
        if info is not None and info.is_module and places_the_rest(frame):
            self._noting.placing.add(callee.identity)
        if info is not None and node.name == CONSTRUCTOR:
            note_plain_containers(frame, info)
            note_plain_tensors(frame, info)
        for event in contradictions(tuple(frame.demands)):
            self.emit(event, frame)
        note_idle_devices(frame, node)
        note_uneven_moves(frame)
        if not frame.environment.dead:
            frame.returns.append(Returned(NONE, frame.environment.tested))
        if frame.yields:
            frame.returns = [Returned(generators.made_by(frame, node))]
        if may_be_replaced(node, self._scopes.get(callee.identity, self._body).look_up):
            frame.returns = [Returned(TOP)]
        return Summary(
            tuple(frame.returns),
            tuple(
                Demand(operation, tested, assumed=rests_on_assumption(operation, frame))
                for operation, tested in frame.demands.items()
            ),
            dict(frame.moved),
            frozenset(frame.assigned),
            changed_parts(callee.function),
            starts_accelerator=frame.started is not None,
            waits=frame.waits > 0,
            works=frame.work > 0 and not frame.yields and not node.is_async,
        )

    def _enter(self, callee: FunctionValue) -> Frame:
        """An activation with the parameters as symbols."""
        node, info = callee.function, callee.info
        if info is not None:
            self.settle(info)
        scope = self._scopes.get(callee.identity)
        enclosing = scope.enclosing if info is not None and scope is not None else scope
        if enclosing is not None and enclosing.qualname == MODULE_BODY:
            enclosing = None
        frame = Frame(self, callee.qualname, Environment(), enclosing=enclosing, info=info)
        frame.identity = callee.identity
        self.workers.note_method(info, node)
        if computes(frame):
            self._noting.computing.add(callee.identity)
        if info is not None and node.name == CONSTRUCTOR:
            self._constructors.add(callee.identity)
            if any(each.is_module or each.unknown_base for each in info.lineage()):
                self._builders.add(callee.identity)
        frame.default_device = self._default_device()
        frame.parameters = frozenset(parameter.name for parameter in node.parameters)
        frame.on_host = hot.is_host_code(info, node.name)
        takes_tensors = info is not None and info.is_module and node.name == "forward"
        evidence = self._evidence.get(callee.identity)
        if evidence is None:
            evidence = gather(node, frame.canonical, frame.is_own_class, inputs_are_tensors=takes_tensors)
            self._evidence[callee.identity] = evidence
        frame.evidence = evidence
        frame.is_export = writes_a_model(callee.qualname) or evidence.exports
        frame.hot = hot.of_function(info, node.name, evidence)
        for position, parameter in enumerate(node.parameters):
            frame.environment.names[parameter.name] = parameter_value(frame, parameter, position)
        return frame

    def _default_device(self) -> DeviceValue:
        """Where a function's tensors go that are given no device: what the file's body has set, if it is
        known."""
        if self._body.default_device.device != CPU or not self.sets_default_device:
            return self._body.default_device
        return DeviceValue(UNKNOWN)

    def settle(self, info: ClassInfo) -> None:
        """Work out the attributes of a class before its methods are interpreted.

        The methods that bind attributes are run once for that alone: the constructor first, the others with
        what it leaves behind.
        """
        for base in reversed(info.lineage()):
            home = base.home if isinstance(base.home, Program) else self
            home._settle(base)

    def _settle(self, info: ClassInfo) -> None:
        if info.resolved:
            return
        info.resolved = True
        bound: list[dict[str, Value]] = []
        for function in binding_methods(info):
            bound.append(self._survey(function, info))
            settle(info, bound)
        for function in moving_methods(info):
            bound.append(self._survey(function, info))
            settle(info, bound)

    def _survey(self, function: ir.Function, info: ClassInfo) -> dict[str, Value]:
        """What a method binds to attributes; nothing that is seen on the way is kept."""
        before = self._activations, self._summaries, self._seen, self._noting, self.wanted
        self._activations, self._summaries = Activations(), dict(self._summaries)
        self._seen = self._noting = Notes()
        self.wanted = frozenset()
        try:
            frame = self._enter(
                FunctionValue(function, function.id, f"{info.name}.{function.name}", info, self)
            )
            statements.run(frame, function.body)
        finally:
            self._activations, self._summaries, self._seen, self._noting, self.wanted = before
        return bound_by(frame)
