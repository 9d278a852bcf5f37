"""Calls, dispatched on the callee."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.model import CPU, UNKNOWN, Confidence, Device, Symbol
from devlint.source import ir
from devlint.source.machine.domain.identity import with_identity
from devlint.source.machine.domain.inputs import Input, bases, device_of_parts
from devlint.source.machine.domain.lattice import join_all, least_sure
from devlint.source.machine.domain.values import (
    FALSE,
    TOP,
    External,
    Method,
    Reference,
    Tensor,
    Union,
    Value,
    alternatives,
)
from devlint.source.machine.heap.classes import class_lookup, fields_of
from devlint.source.machine.heap.files import CONFIGURED, Class, Function, Scope
from devlint.source.machine.heap.frames import Call, Passed
from devlint.source.machine.heap.module_classes import may_be_module_class
from devlint.source.machine.heap.objects import (
    ELEMENT,
    BoundMethod,
    Container,
    GeneratorObject,
    Instance,
    Mover,
    Partial,
)
from devlint.source.machine.library import external_objects, methods, parsers
from devlint.source.machine.library.externals import call_external
from devlint.source.machine.modules import foreign, hooks, state
from devlint.source.machine.modules.calls import call_layer, call_moved
from devlint.source.machine.modules.use import note_call
from devlint.source.machine.transfer.attributes import bound
from devlint.source.machine.transfer.dispatching import chosen
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.machine.transfer.mapping_arguments import entries, given, known_entries
from devlint.source.machine.transfer.one_of_several import call_one_of
from devlint.source.machine.transfer.training_mode import begin_training
from devlint.source.walk import once_a_node, path, text, walk


def call_value(machine: Interpreter, callee: Value, call: Call) -> Value:
    """The result of calling something."""
    match callee:
        case Reference(target=target):
            return _call_object(machine, target, callee, call)
        case External(name="builtins.object.__new__") | Method(name="__new__") if made := _class_named(
            call.first
        ):
            return machine.adopt(Instance(made, call.site))
        case External(name=name):
            return call_external(machine, name, call)
        case Method(receiver=receiver, name=name):
            return methods.call_method(machine, receiver, name, call)
        case Union():
            return call_one_of(machine, callee, call)
        case Input():
            return _call_input(machine, callee, call)
        case _:
            return machine.presumed(call)


def _class_named(held: Value) -> Class | None:
    """The class of which `object.__new__(held)` creates an object without calling its constructor."""
    target = held.target if isinstance(held, Reference) else None
    return target if isinstance(target, Class) and "enum" not in target.marks else None


def presumed(call: Call) -> Value:
    """The result of an unknown callable: most likely, its tensors are on the device of its arguments, if
    those are on one device. What gets a parser of options most likely adds some, and returns it."""
    if isinstance(call.first, Reference) and isinstance(call.first.target, Instance):
        of = call.first.target.of
        if isinstance(of, str) and parsers.is_parser((of,)):
            return call.first
    supplied = [
        each for held in call.values for each in alternatives(held) if isinstance(each, (Tensor, Input))
    ]
    devices = {each.device for each in supplied}
    if len(devices) != 1:
        return with_identity(TOP)
    first = supplied[0]
    confidence = least_sure(Confidence.LIKELY, *(each.confidence for each in supplied))
    return Input(text(call.node), first.device, confidence, first.origin, born=first.born, presumed=True)


def _call_input(machine: Interpreter, callee: Input, call: Call) -> Value:
    """The result of calling an input, such as a model: on the device of the input; if that is unknown, most
    likely on that of the arguments."""
    loop = machine.execution.loop
    if loop is not None and any(isinstance(each, (Tensor, Input)) for each in call.values):
        loop.worked = True
    machine.work += 1
    machine.assigned.hand_over(call.values)
    owner = _owner_of_method(machine, call)
    if isinstance(owner, Input):
        machine.assigned.forget(owner)
    device = device_of_parts(callee)
    if device == UNKNOWN:
        is_part = owner is not None and state.module_of(owner) is not None
        return foreign.returned_by_part(machine, call) if is_part else machine.presumed(call)
    brought = _brought(call)
    if brought is not None and isinstance(device, Symbol):
        # The program moves to it what it is given, so that it is there.
        confidence = least_sure(Confidence.LIKELY, brought.confidence)
        made = Input(text(call.node), brought.device, confidence, brought.origin, born=loop, presumed=True)
        return _output(made, callee) if _is_given(machine, callee) else made
    if callee.moved_in_place is None and not (callee.has_device and callee.origin.was_moved):
        made = Input(text(call.node), device, callee.confidence, callee.origin, born=loop, presumed=True)
        return _output(made, callee) if _is_model_called(machine, callee, call) else made
    # A module: the program itself names its device.
    confidence = callee.confidence if callee.moved_in_place is None else Confidence.LIKELY
    return call_moved(machine, Tensor(device, callee.origin, confidence=confidence), call)


def _output(made: Input, callee: Input) -> Input:
    """The new result of a call of a model that the running function is given."""
    made.presumed, made.of_forward, made.given_to = False, True, callee.given_to
    return made


def _owner_of_method(machine: Interpreter, call: Call) -> Value | None:
    """The value of which a method is called: `args.configure()`."""
    if not isinstance(call.function, ir.Attribute) or not path(call.function.value):
        return None  # evaluating names has no effect
    return machine.evaluate(call.function.value, call.frame)


def _is_model_called(machine: Interpreter, callee: Input, call: Call) -> bool:
    """Whether the running function, which nothing calls, is given a callable and calls it with a tensor that
    it is given too: what a model returns is a tensor where its input is, or contains some."""
    if not _is_given(machine, callee):
        return False
    sources = [each for held in call.values for each in alternatives(held) if isinstance(each, Input)]
    sources += [each.source for each in call.values if isinstance(each, Tensor) and each.source is not None]
    return any(base.evident and base.given_to == callee.given_to for each in sources for base in bases(each))


def _is_given(machine: Interpreter, callee: Input) -> bool:
    """Whether a callable is an argument of the running function, which nothing calls."""
    function = machine.frame.function
    return function is not None and callee.given_to == function.identity and not callee.refuted


def _brought(call: Call) -> Tensor | Input | None:
    """An argument that the program has moved to a device other than the host; None if there is none, or if
    there are several devices."""
    found: dict[Device, Tensor | Input] = {}
    for held in call.values:
        target = held.target if isinstance(held, Reference) else None
        parts = target.cells.values() if isinstance(target, Container) else (held,)
        for each in (one for part in parts for one in alternatives(part)):
            if isinstance(each, (Tensor, Input)) and each.origin.was_moved:
                found[each.device] = each
    return next(iter(found.values())) if len(found) == 1 and not {CPU, UNKNOWN} & found.keys() else None


def _call_object(machine: Interpreter, target: object, callee: Value, call: Call) -> Value:
    match target:
        case Function() if target.registered and call.passed:
            return _call_registered(machine, target, call)
        case Function():
            return call_function(machine, target, call)
        case BoundMethod(function=function, receiver=receiver):
            return call_function(machine, function, call, receiver=receiver)
        case Class():
            return _call_class(machine, target, callee, call)
        case Mover() if call.passed:
            return state.moved(call.first, target)
        case Partial():
            return _call_partial(machine, target, call)
        case Instance():
            return _call_instance(machine, target, callee, call)
        case _:
            return TOP


def _call_partial(machine: Interpreter, target: Partial, call: Call) -> Value:
    site = call.site
    bound = [Passed(each, call.node, site) for each in target.arguments]
    later = {each.keyword for each in call.passed if each.keyword}
    keywords = [
        Passed(each, call.node, site, keyword=name)
        for name, each in target.keywords.items()
        if name not in later
    ]
    return call_value(machine, target.callee, call.passing([*bound, *call.passed, *keywords]))


def _call_instance(machine: Interpreter, instance: Instance, callee: Value, call: Call) -> Value:
    own = machine.method_of(callee, "__call__")
    if own is not None:
        return call_value(machine, own, call)
    if not state.is_module(instance):
        return _used_by_module(machine, instance, methods.call_instance(machine, instance, call), call)
    note_call(machine, instance, call.passed)
    hooks.call_before(machine, instance, callee, call)
    forward = machine.method_of(callee, "forward")
    if forward is not None:
        machine.entered.add(call.site)
        result = call_value(machine, forward, call)
    else:
        result = call_layer(machine, instance, callee, call)
    return hooks.call_after(machine, instance, callee, call, result)


def _used_by_module(machine: Interpreter, instance: Instance, returned: Value, call: Call) -> Value:
    """The result of calling an object of a class that is not read. If a module stores it as an attribute and
    passes it tensors, it most likely is a layer, which returns tensors."""
    if not isinstance(returned, Input) or not isinstance(call.function, ir.Attribute):
        return returned
    names = (instance.of,) if isinstance(instance.of, str) else instance.of.externals
    if may_be_module_class(names) and isinstance(call.first, Tensor):
        owner = machine.evaluate(call.function.value, call.frame)
        returned.evident = returned.evident or state.module_of(owner) is not None
    return returned


def _call_registered(machine: Interpreter, target: Function, call: Call) -> Value:
    """A call of a function that dispatches on the type of its first argument."""
    first, *others = call.passed
    return join_all(
        call_function(machine, held, call.passing([first._replace(value=each), *others]))
        for each in alternatives(first.value)
        for held in chosen(machine, target, each)
    )


def _call_class(machine: Interpreter, target: Class, callee: Value, call: Call) -> Value:
    """A new object of a class of the project, created by its metaclass if it has one."""
    if target.metaclass is not None:
        found, home = class_lookup(target.metaclass, "__call__")
        if found is not None:
            return call_value(machine, bound(machine, found, callee, home), call)
    return instantiate(machine, callee, call)


def instantiate(machine: Interpreter, callee: Value, call: Call) -> Value:
    """A new object of a class of the project, created as by `type.__call__`."""
    target = callee.target if isinstance(callee, Reference) else None
    if not isinstance(target, Class) or "enum" in target.marks:
        return TOP
    if "typeddict" in target.marks:
        return call_value(machine, External("builtins.dict"), call)
    made = Instance(target, call.site)
    reference = machine.adopt(made)
    new, _ = class_lookup(target, "__new__")
    if isinstance(new, Reference) and isinstance(new.target, Function):
        supplied = [Passed(callee, call.node, call.site), *call.passed]
        result = call_function(machine, new.target, call.passing(supplied))
        if all(_is_of_another_class(each, target) for each in alternatives(result)):
            return result
        if (
            isinstance(result, Reference)
            and isinstance(result.target, Instance)
            and result.target is not made
        ):
            reference, made = result, result.target
    begin_training(machine, made, call)
    initializer = machine.method_of(reference, "__init__")
    if initializer is not None:
        call_value(machine, initializer, call)
    elif target.marks & {"dataclass", "namedtuple"}:
        _fill_record(machine, target, made, call)
        after = machine.method_of(reference, "__post_init__")
        if after is not None:
            call_value(machine, after, call.passing([]))
    else:
        for each in call.passed:
            made.arguments[each.keyword or str(len(made.arguments))] = each.value
        external_objects.construct(machine, made, call)
    return reference


def _is_of_another_class(held: Value, target: Class) -> bool:
    """Whether what `__new__` returns is an object of the project that `__init__` does not initialize."""
    made = held.target if isinstance(held, Reference) else None
    return isinstance(made, Instance) and isinstance(made.of, Class) and target not in made.of.order


def _fill_record(machine: Interpreter, target: Class, made: Instance, call: Call) -> None:
    """Set the fields of a dataclass or named tuple from the arguments, or else from the defaults."""
    fields = fields_of(target)
    given = [name for name in fields if _stated(target, name).get("init") != FALSE]
    positional = [each for each in call.passed if not each.keyword]
    for name, each in zip(given, positional, strict=False):
        machine.store.write(made, name, each.value)
    for each in call.passed:
        if each.keyword:
            machine.store.write(made, each.keyword, each.value)
    for name in fields:
        if name not in made.cells:
            default, _ = class_lookup(target, name)
            stated = _stated(target, name)
            factory = stated.get("default_factory")
            if factory is not None:
                held = call_value(machine, factory, call.passing([]))
            else:
                held = stated.get("default", TOP if default is None else default)
            machine.store.write(made, name, held)


def _stated(target: Class, name: str) -> dict[str, Value]:
    """The arguments of the call that declares a field of a record."""
    declared, _ = class_lookup(target, name)
    match declared:
        case Reference(target=Instance(of="dataclasses.Field") as field):
            return field.arguments
        case _:
            return {}


def call_function(
    machine: Interpreter, function: Function, call: Call, *, receiver: Value | None = None
) -> Value:
    """The result of a call of a function of the project: followed, or recalled for an equal context."""
    supplied = list(call.passed)
    if receiver is not None:
        supplied.insert(0, Passed(receiver, call.receiver, call.frame.site(call.receiver)))
    if not supplied and CONFIGURED in function.marks:
        supplied.append(Passed(machine.adopt(Container("dict", element=TOP)), call.node, call.site))
    if not machine.may_follow(function, supplied):
        return TOP
    scope = bind(machine, function, supplied)
    if is_generator(function):
        execution = machine.execution
        generator = GeneratorObject(function, scope, execution.loop, periodic=execution.periodic)
        return machine.adopt(generator)
    return machine.followed(function, scope, call.site)


def is_generator(function: Function) -> bool:
    """Whether a call of a function returns a generator."""
    return isinstance(function.node, ir.FunctionDef) and _yields(function.node)


@once_a_node
def _yields(node: ir.FunctionDef) -> bool:
    return any(isinstance(each, ir.Yield) for each in walk(node.body))


def bind(machine: Interpreter, function: Function, passed: Sequence[Passed]) -> Scope:
    """Bind arguments and defaults to the names of an activation.

    This is not `devlint.operators.binding`: parameters of the project's functions have defaults, and `*args`
    and `**kwargs` become objects; rows of the table have neither.
    """
    scope = Scope(function.scope, function.file)
    cells = scope.cells
    parameters = function.node.parameters
    positional = [each for each in parameters if not each.stars and not each.keyword_only]
    rest: list[Value] = []
    spread: Value | None = None
    position = 0
    named: dict[str, Value] = {}
    names = {each.name for each in parameters if not each.stars}
    others: dict[str, Value] = {}
    more: Value | None = None
    for each in passed:
        if each.stars == 1:
            spread = each.value
        elif each.stars == 2:
            more = entries(each.value) if more is None else TOP
            for key, entry in known_entries(each.value):
                (named if key in names else others).setdefault(key, entry)
        elif each.keyword:
            (named if each.keyword in names else others)[each.keyword] = each.value
        elif position < len(positional):
            cells[positional[position].name] = each.value
            position += 1
        else:
            rest.append(each.value)
    cells.update(named)
    for parameter in parameters:
        if parameter.stars == 1:
            element = spread if spread is not None and position >= len(positional) else None
            cells[parameter.name] = machine.adopt(Container("tuple", rest, element))
        elif parameter.stars == 2:
            held = Container("dict")
            held.cells.update(others)
            if more is not None:
                held.cells[ELEMENT] = more
            cells[parameter.name] = machine.adopt(held)
        elif parameter.name not in cells:
            default = function.defaults.get(parameter.name)
            if spread is not None and not parameter.keyword_only:
                cells[parameter.name] = spread
            else:
                cells[parameter.name] = given(parameter.name, default, more)
    return scope
