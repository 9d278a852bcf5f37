"""Functions of `itertools`, `random`, `operator` and `numpy.random`, which draw, combine and look up
elements."""

from __future__ import annotations

from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.values import INT, NONE, TOP, External, Reference, Scalar, Value
from devlint.source.machine.heap.frames import Call, Passed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import ELEMENT, Container, Instance
from devlint.source.machine.library.builtin_objects import OBJECTS
from devlint.source.machine.library.data import is_loader
from devlint.source.machine.library.handlers import Handler, constant
from devlint.source.machine.library.numpy_results import result_of

ITEM_GETTER = "operator.itemgetter"
METHOD_CALLER = "operator.methodcaller"
GETTERS = (ITEM_GETTER, METHOD_CALLER, "operator.attrgetter")


def _elements(machine: Machine, call: Call, held: Value) -> list[Value]:
    return machine.elements(held, call.frame, call.node).items


def _some_of(machine: Machine, items: list[Value]) -> Value:
    """A list of an unknown number of these elements."""
    return machine.adopt(Container("list", element=join_all(items)))


def _chosen(machine: Machine, call: Call) -> Value:
    """`random.choice(elements)`: an element at a position that is not known."""
    return _element(machine, call, INT) if call.passed else TOP


def _element(machine: Machine, call: Call, index: Value) -> Value:
    """The element of the first argument under an index."""
    return machine.element(call.passed[0], Passed(index, call.node, call.site), call.frame, call.node)


def _sample(machine: Machine, call: Call) -> Value:
    """`random.sample(elements, count)`: a list of some elements."""
    return _some_of(machine, _elements(machine, call, call.first)) if call.passed else TOP


def _drawn_by_numpy(name: str) -> Handler:
    """`numpy.random.choice(elements, size)` and `permutation(elements)`: an array of objects keeps them."""

    def call_it(machine: Machine, call: Call) -> Value:
        items = _elements(machine, call, call.first) if call.passed else []
        if not any(isinstance(each, Reference) and isinstance(each.target, Instance) for each in items):
            return result_of(name, call.passed)
        several = len(call.passed) > 1 or name.endswith("permutation")
        return _some_of(machine, items) if several else join_all(items)

    return call_it


def _flattened(machine: Machine, call: Call) -> Value:
    """`itertools.chain(a, b)`."""
    return _one_after_another(machine, call, call.values)


def _flattened_once(machine: Machine, call: Call) -> Value:
    """`itertools.chain.from_iterable(lists)`."""
    inner = [each for held in call.values[:1] for each in _elements(machine, call, held)]
    return _one_after_another(machine, call, inner)


def _one_after_another(machine: Machine, call: Call, walked: list[Value]) -> Value:
    """The elements of several values. Those of data loaders are drawn by the loop that asks for them."""
    if walked and all(map(_is_loader, walked)):
        return join_all(walked)
    return _some_of(machine, [item for each in walked for item in _elements(machine, call, each)])


def _is_loader(held: Value) -> bool:
    made = held.target if isinstance(held, Reference) else None
    if not isinstance(made, Instance):
        return False
    return is_loader((made.of,) if isinstance(made.of, str) else made.of.externals)


def _repeated(machine: Machine, call: Call) -> Value:
    """`itertools.repeat(element)`."""
    return _some_of(machine, call.values[:1])


def _counted(machine: Machine, call: Call) -> Value:
    return machine.adopt(Container("list", element=Scalar("int", counter=True)))


def _product(machine: Machine, call: Call) -> Value:
    """`itertools.product(a, b)` and `itertools.zip_longest(a, b, fillvalue=None)`: tuples."""
    columns = [
        join_all(_elements(machine, call, each.value)) if each.keyword == "" else NONE
        for each in call.passed
        if each.keyword in ("", "fillvalue")
    ]
    return _some_of(machine, [machine.adopt(Container("tuple", columns))])


def _combined(machine: Machine, call: Call) -> Value:
    """`itertools.combinations(elements, count)`: tuples of elements, several of one sequence."""
    if len(call.values) < 2:
        return TOP
    one = join_all(_elements(machine, call, call.first))
    return _some_of(machine, [machine.adopt(Container("tuple", element=one))])


def _paired(machine: Machine, call: Call) -> Value:
    """`itertools.pairwise(elements)`: pairs of neighbours."""
    if not call.passed:
        return TOP
    one = join_all(_elements(machine, call, call.first))
    return _some_of(machine, [machine.adopt(Container("tuple", [one, one]))])


def _grouped(machine: Machine, call: Call) -> Value:
    """`itertools.groupby(elements, key)`: pairs of a key and some elements."""
    if not call.passed:
        return TOP
    group = _some_of(machine, _elements(machine, call, call.first))
    return _some_of(machine, [machine.adopt(Container("tuple", [TOP, group]))])


def reduced(machine: Machine, call: Call) -> Value:
    """`functools.reduce(function, elements, initial)`; the result of one call."""
    if len(call.passed) < 2:
        return TOP
    walked = call.passed[1]
    items = _elements(machine, call, walked.value)
    if not items:
        return TOP
    first = call.passed[2] if len(call.passed) > 2 else walked._replace(value=items[0])
    pair = [first, walked._replace(value=items[-1])]
    return machine.call(call.first, call.passing(pair))


def _accumulated(machine: Machine, call: Call) -> Value:
    """`itertools.accumulate(elements, function)`: sums, or what the function returns."""
    if not call.passed:
        return TOP
    items = _elements(machine, call, call.first)
    if len(call.passed) > 1:
        items = [*items, reduced(machine, call.passing([call.passed[1], call.passed[0]]))]
    return _some_of(machine, items)


def _chained(machine: Machine, call: Call) -> Value:
    """`collections.ChainMap(first, second)`, in which the first mapping with a key has its value."""
    made = Container("dict")
    for each in reversed(call.values):
        if isinstance(each, Reference) and isinstance(each.target, Container):
            made.cells.update(each.target.cells)
        else:
            made.cells[ELEMENT] = TOP
    return machine.adopt(made)


def _getter(name: str) -> Handler:
    """`itemgetter("a")`, `attrgetter("a")` and `methodcaller("a", 1)`, which keep their arguments for the
    call of the result."""

    def handler(machine: Machine, call: Call) -> Value:
        made = Instance(name, call.site)
        made.cells.update(enumerate(call.values))
        return machine.adopt(made)

    return handler


def get(machine: Machine, getter: Instance, call: Call) -> Value:
    """The call of such an object: an element or an attribute, several as a tuple, or a method's result."""
    if not call.passed:
        return TOP
    if getter.of == METHOD_CALLER:
        name, *values = getter.cells.values()
        method = _got_attribute(machine, name, call)
        return machine.call(method, call.passing([Passed(each, call.node, call.site) for each in values]))
    found = [_got(machine, getter, wanted, call) for wanted in getter.cells.values()]
    return found[0] if len(found) == 1 else machine.adopt(Container("tuple", found))


def _got(machine: Machine, getter: Instance, wanted: Value, call: Call) -> Value:
    if getter.of == ITEM_GETTER:
        return _element(machine, call, wanted)
    return _got_attribute(machine, wanted, call)


def _got_attribute(machine: Machine, name: Value, call: Call) -> Value:
    return OBJECTS["getattr"](machine, call.passing([call.passed[0], Passed(name, call.node, call.site)]))


def _operation(operator: str) -> Handler:
    """`operator.mul(a, b)`."""

    def handler(machine: Machine, call: Call) -> Value:
        if len(call.passed) != 2:
            return TOP
        left, right = call.passed
        return machine.operation(operator, (left, right), call.frame, call.node)

    return handler


_OPERATORS = ("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow")

ITERATORS: dict[str, Handler] = {
    "functools.reduce": reduced,
    "collections.ChainMap": _chained,
    "itertools.accumulate": _accumulated,
    "itertools.chain": _flattened,
    "itertools.chain.from_iterable": _flattened_once,
    "itertools.combinations": _combined,
    "itertools.combinations_with_replacement": _combined,
    "itertools.count": _counted,
    "itertools.groupby": _grouped,
    "itertools.pairwise": _paired,
    "itertools.permutations": _combined,
    "itertools.product": _product,
    "itertools.repeat": _repeated,
    "itertools.zip_longest": _product,
    **{name: _drawn_by_numpy(name) for name in ("numpy.random.choice", "numpy.random.permutation")},
    # The methods of a generator are those of the module.
    **dict.fromkeys(("random.Random", "random.SystemRandom"), constant(External("random"))),
    "random.choice": _chosen,
    "random.choices": _sample,
    "random.sample": _sample,
    **{f"operator.{name}": _operation(name) for name in _OPERATORS},
    **{name: _getter(name) for name in GETTERS},
}
"""The functions, by canonical name."""
