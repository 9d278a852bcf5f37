"""Hypotheses: assumed uses of the classes and functions that nothing in the project calls.

A module is created, moved to an accelerator, and called with tensors there. A function, or a method of
another object, receives its tensors on one accelerator.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from devlint.model import UNKNOWN, Confidence, Device, HotPath, SiteId, Symbol, SymbolKind
from devlint.source import ir
from devlint.source.machine.domain.inputs import Input
from devlint.source.machine.domain.loops import Loop
from devlint.source.machine.domain.serials import new_serial
from devlint.source.machine.domain.values import NONE, Reference, Union
from devlint.source.machine.heap.files import Class, File, Function, Scope
from devlint.source.machine.heap.module_classes import is_module_class
from devlint.source.machine.heap.objects import Instance
from devlint.source.machine.heap.process import AFRESH, Worker
from devlint.source.machine.interprocedural.endings import at_end
from devlint.source.machine.interprocedural.framework_steps import STEP_METHODS, batch_arguments
from devlint.source.machine.interprocedural.inherited import (
    CALLED_BY_FRAMEWORKS,
    FIRST_HOOKS,
    WITHOUT_OBJECT,
    asks_for,
    inherited,
    inherited_names,
)
from devlint.source.machine.interprocedural.machine import AbstractMachine
from devlint.source.machine.interprocedural.own_moves import move_held_objects, move_in_its_own_way
from devlint.source.machine.interprocedural.placeholders import doubt_names
from devlint.source.machine.interprocedural.reach import may_mix_devices
from devlint.source.machine.interprocedural.rebinding import doubt_placeholders, movers
from devlint.source.machine.interprocedural.references import callers_first, users_first
from devlint.source.machine.interprocedural.renaming import copied_whole
from devlint.source.machine.interprocedural.replaced_buffers import forward_after
from devlint.source.machine.interprocedural.supposed_arguments import arguments
from devlint.source.machine.interprocedural.supposed_objects import constructed
from devlint.source.machine.library.data import is_dataset
from devlint.source.machine.library.expectations import SET_UP, TEST_CASE, is_test
from devlint.source.machine.library.optimizers import is_optimizer
from devlint.source.machine.library.workers import FETCHES
from devlint.source.machine.modules import registration, state
from devlint.source.walk import walk

_ITSELF = Symbol("self", SymbolKind.MODULE)


def try_what_is_left(machine: AbstractMachine, file: File) -> None:
    """Try each class and function of a file that was not followed.

    Functions come before those that they use, because callers show what their callees get, and later
    definitions before earlier ones, which they most likely use. Before these come the callers of modules:
    they work on the host if they leave the module there.
    """
    doubt_names(machine, file)
    functions = users_first([each for each in file.functions if each.owner is None and _is_free(each)])
    modules = [each for each in reversed(file.classes) if _is_module_class(each)]
    others = [each for each in reversed(file.classes) if each not in modules]
    for function in functions:
        if not _required(function):
            _try_function(machine, function)
    for each in others:
        if is_dataset(each.externals):
            _try_class(machine, each)
    names = {each.name for each in modules}
    with machine.following.weighing():
        for each in others:
            if _uses(each.node, names):
                _try_class(machine, each)
        for function in functions:
            if _uses(function.node, names):
                _try_function(machine, function)
    spare = {each: _try_module(machine, each) for each in modules}
    for each in others:
        _try_class(machine, each)
    for function in functions:
        _try_function(machine, function)
    for each in modules:
        _try_inherited(machine, each, spare[each])


def _uses(definition: ir.ClassDef | ir.FunctionDef | ir.Lambda, names: set[str]) -> bool:
    """Whether a definition refers to one of some classes."""
    return any(
        isinstance(each, ir.Name) and each.name in names for each in walk((definition,), into_scopes=True)
    )


def _is_free(function: Function) -> bool:
    """Whether a function is defined in the file, outside of other functions."""
    return function.scope is function.file.scope


def _required(function: Function) -> list[ir.Parameter]:
    return [each for each in function.node.parameters if each.default is None and not each.stars]


def _is_module_class(made: Class) -> bool:
    return any(map(is_module_class, made.externals))


def _is_left(machine: AbstractMachine, function: Function) -> bool:
    return function.identity not in machine.following.reached and not machine.is_exhausted()


def _try_function(machine: AbstractMachine, function: Function) -> None:
    if not _is_left(machine, function):
        return
    names = [each.name for each in function.node.parameters]
    device = Symbol(names[0], SymbolKind.TENSOR) if names and not is_test(machine, function) else UNKNOWN
    _run_on(machine, function, device, receiver=None)


def _run_on(
    machine: AbstractMachine,
    function: Function,
    device: Device,
    receiver: Reference | None,
    *,
    expects_device: bool = False,
    keeps_modules: bool = False,
) -> None:
    """Follow a function with tensors on a device.

    It is possible that they are on an accelerator, and likely if the function asks for their device, or is a
    method of a module that has parameters, buffers or parts. In that case it is followed again, if this can
    make a mixture of devices more certain. So is a function that trains outside of its loops: as a training
    step.
    """
    kept = new_serial() if keeps_modules else 0
    before = machine.trained
    scope = arguments(machine, function, device, Confidence.POSSIBLE, receiver=receiver)
    _run(machine, function, scope, kept=kept)
    if machine.trained > before and _is_called_again(machine, function):
        scope = arguments(machine, function, device, Confidence.POSSIBLE, receiver=receiver)
        _run(machine, function, scope, HotPath.STEP, kept=kept)
    expects_device = expects_device or machine.log.expects_any_device(function.qualname)
    if expects_device and machine.log.doubts_mixture(function.qualname):
        scope = arguments(machine, function, device, Confidence.LIKELY, receiver=receiver)
        _run(machine, function, scope, mismatches_only=True, kept=kept)


def _is_called_again(machine: AbstractMachine, function: Function) -> bool:
    """Whether other calls may pass other values: it is no test, and takes arguments or has an object."""
    owner = function.owner
    in_case = owner is not None and TEST_CASE in owner.externals
    return bool(function.node.parameters) and not in_case and not is_test(machine, function)


def _run(
    machine: AbstractMachine,
    function: Function,
    scope: Scope,
    hot: HotPath | None = None,
    *,
    mismatches_only: bool = False,
    kept: int = 0,
) -> None:
    """Follow a function as the call of a hypothesis."""
    site = SiteId(function.file.base + function.node.id)
    supposing = machine.supposing(function.qualname, mismatches_only=mismatches_only)
    with supposing, machine.in_process(machine.process.twin()), machine.assigned.undone():
        machine.execution.kept = kept
        if hot is not None:
            machine.execution.loop = Loop(None, site)
            machine.execution.loop.whole = hot
        for each in scope.cells.values():
            for one in each.alternatives if isinstance(each, Union) else (each,):
                if isinstance(one, Input):
                    one.born, one.given_to = machine.execution.loop, function.identity
        machine.followed(function, scope, site)
        machine.execution.loop = None
        at_end(machine)


def _try_module(machine: AbstractMachine, made: Class) -> Reference | None:
    """Create a module, put it on an accelerator, and call it. Returns a copy of it, as it was before, if its
    inherited methods will be called."""
    with machine.in_process(machine.process.twin()):
        return _use_module(machine, made)


def _use_module(machine: AbstractMachine, made: Class) -> Reference | None:
    methods = [each for each in _methods(machine, made) if _is_left(machine, each)]
    if not methods:
        return None
    begun = new_serial()
    reference = _placed_module(machine, made)
    spare = copied_whole(reference, begun) if _inherited_names(machine, made) else None
    for function in _inherited_methods(machine, made, (*FIRST_HOOKS, *sorted(CALLED_BY_FRAMEWORKS))):
        _try_method(machine, function, reference)
    for function in sorted(callers_first(methods), key=_order):
        if _is_left(machine, function) and function.name != "__init__":
            _try_method(machine, function, reference)
    return spare


def _inherited_names(machine: AbstractMachine, made: Class) -> list[str]:
    """The inherited public methods of a module that call methods of the class itself; all if the class
    creates its parts itself."""
    own = {each.name for each in _methods(machine, made)}
    return [name for name in inherited_names(made) if "__init__" in own or asks_for(made, name, own)]


def _try_inherited(machine: AbstractMachine, made: Class, spare: Reference | None) -> None:
    """Call inherited public methods of a module. Only mismatches are recorded; other events are known from
    the bases. So a method is not called where it can reach nothing that mixes devices."""
    names = _inherited_names(machine, made)
    if not names or machine.is_exhausted():
        return
    with machine.in_process(machine.process.twin()):
        reference = _placed_module(machine, made) if spare is None else spare
        if not _is_placed(reference):
            return
        for function in _inherited_methods(machine, made, names):
            if may_mix_devices(machine, function, reference, _ITSELF):
                scope = arguments(machine, function, _ITSELF, Confidence.LIKELY, receiver=reference)
                machine.store.begin()  # a method may build the module's tensors anew, on the host
                assert isinstance(reference.target, Instance)
                doubt_placeholders(machine, reference.target, function.name)
                _run(machine, function, scope, mismatches_only=True)
                machine.store.end()


def _placed_module(machine: AbstractMachine, made: Class) -> Reference:
    """A module on an accelerator."""
    with machine.supposing(f"{made.name}.__init__"):
        reference = constructed(machine, made)
        instance = reference.target
        assert isinstance(instance, Instance)
        move_in_its_own_way(machine, made, reference, _ITSELF)
        move_held_objects(machine, made, instance, _ITSELF)
        state.place(machine, instance, _ITSELF, Confidence.LIKELY)
        registration.leave_behind(machine, instance, _ITSELF, Confidence.LIKELY)
        registration.leave_unregistered(machine, instance)
    return reference


def _inherited_methods(machine: AbstractMachine, made: Class, names: Iterable[str]) -> Iterator[Function]:
    """The inherited methods of a class, for calls in addition to those of their owners."""
    for name in names:
        function = inherited(made, name)
        if function is not None and not machine.is_exhausted():
            with machine.following.for_derived(function):
                yield function


def _is_placed(module: Reference) -> bool:
    """Whether a module is on the assumed device, or has unknown parts."""
    instance = module.target
    assert isinstance(instance, Instance)
    stands = state.placement(instance)
    return stands.device == _ITSELF if stands is not None else any(state.children(instance))


def _try_method(machine: AbstractMachine, function: Function, reference: Reference) -> None:
    """Call a method of a module with tensors on the module's device."""
    hot = HotPath.FORWARD if function.name == "forward" else None
    if function.name in STEP_METHODS:
        hot = HotPath.STEP
    instance = reference.target
    assert isinstance(instance, Instance)
    doubt_placeholders(machine, instance, function.name)
    if hot is None:
        is_bare = state.placement(instance) is None
        before = dict(instance.cells)
        _run_on(machine, function, _ITSELF, reference, expects_device=_is_placed(reference))
        for forward in forward_after(machine, function, instance, before):
            _call_forward(machine, forward, reference)
        state.doubt_registered(machine, instance, before)
        if is_bare:
            state.doubt(machine, instance)  # it is moved when this has built its layers
    else:
        scope = arguments(machine, function, _ITSELF, Confidence.LIKELY, receiver=reference, evident=True)
        _run(machine, function, scope, hot)


def _call_forward(machine: AbstractMachine, forward: Function, module: Reference) -> None:
    """Call a module's `forward` once more, of which only mismatches are recorded."""
    scope = arguments(machine, forward, _ITSELF, Confidence.LIKELY, receiver=module, evident=True)
    _run(machine, forward, scope, mismatches_only=True)


def _order(function: Function) -> tuple[int, int]:
    """Sorts public methods, which are called from outside, before private ones, which are called by
    others, and public ones by their places."""
    if function.name in FIRST_HOOKS:
        return -1, FIRST_HOOKS.index(function.name)
    if function.name in SET_UP:
        return -1, SET_UP.index(function.name)
    first = 0 if function.name == "forward" else 1 if function.name in STEP_METHODS else 2
    return (first + 2, 0) if function.name.startswith("_") else (first, function.node.id)


def _try_class(machine: AbstractMachine, made: Class) -> None:
    """Create an object of a class that is no module, and call its methods."""
    with machine.in_process(machine.process.twin()):
        _use_object(machine, made)


def _use_object(machine: AbstractMachine, made: Class) -> None:
    methods = [each for each in _methods(machine, made) if _is_left(machine, each)]
    if not methods:
        return
    with machine.supposing(f"{made.name}.__init__"):
        reference = constructed(machine, made)
        assert isinstance(reference.target, Instance)
        if state.may_be_module(reference.target):
            state.doubt(machine, reference.target)
    first = [*movers(reference.target)]
    for function in _inherited_methods(machine, made, first):
        device = Symbol(f"the arguments of {function.name}", SymbolKind.TENSOR)
        _run_on(machine, function, device, reference, keeps_modules=True)
    _use_templates(machine, made, reference, {each.name for each in methods})
    for function in sorted(callers_first(methods), key=lambda each: (each.name not in first, *_order(each))):
        if not _is_left(machine, function) or function.name == "__init__":
            continue
        doubt_placeholders(machine, reference.target, function.name)
        device = Symbol(f"the arguments of {function.name}", SymbolKind.TENSOR)
        batch = batch_arguments(made, function.name)
        if batch is not None or (function.name == "step" and is_optimizer(made.externals)):
            _run_step(machine, function, batch or (), reference)
            continue
        with _fetching(machine, made, function), _without_traces(machine, made, function):
            _run_on(machine, function, device, reference, keeps_modules=True)


def _use_templates(machine: AbstractMachine, made: Class, reference: Reference, own: set[str]) -> None:
    """Call the inherited methods of an object that call methods of its own class, and show what these get."""
    names = [name for name in inherited_names(made) if asks_for(made, name, own)]
    for function in _inherited_methods(machine, made, names):
        device = Symbol(f"the arguments of {function.name}", SymbolKind.TENSOR)
        _run_on(machine, function, device, reference, keeps_modules=True)


def _run_step(
    machine: AbstractMachine, function: Function, batch: tuple[str, ...], receiver: Reference
) -> None:
    """Call a method as a training loop does, for each batch, which is on the accelerator."""
    scope = arguments(machine, function, _ITSELF, Confidence.LIKELY, receiver=receiver)
    for each in map(scope.cells.get, batch):
        if isinstance(each, Input):
            each.holds_tensors = True
    _run(machine, function, scope, HotPath.STEP)


@contextmanager
def _without_traces(machine: AbstractMachine, made: Class, function: Function) -> Iterator[None]:
    """A context that undoes the changes of a test to its object: unittest creates an object for each test,
    and only calls `setUp` before."""
    if TEST_CASE not in made.externals or function.name in SET_UP:
        yield
        return
    machine.store.begin()
    try:
        yield
    finally:
        machine.store.end()


def _fetching(machine: AbstractMachine, made: Class, function: Function) -> AbstractContextManager[None]:
    """Call the item access of a data set without a loader in the project: most likely, a worker calls it."""
    if function.name not in FETCHES or not is_dataset(made.externals):
        return nullcontext()
    if machine.process.facts.makes_loaders or machine.process.cells[AFRESH] != NONE:
        return nullcontext()
    return machine.in_worker(Worker("what a data set gives to its loader", Confidence.LIKELY))


def _methods(machine: AbstractMachine, made: Class) -> list[Function]:
    """The methods that a class itself defines."""
    found = [
        held.target
        for held in made.cells.values()
        if isinstance(held, Reference) and isinstance(held.target, Function) and held.target.owner is made
    ]
    return [each for each in found if each.marks.isdisjoint(WITHOUT_OBJECT)]
