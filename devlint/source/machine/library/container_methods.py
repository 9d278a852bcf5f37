"""Methods of lists, tuples, sets, dicts and strings."""

from __future__ import annotations

import re

from devlint.model import UNKNOWN
from devlint.source.machine.domain.dict_keys import KeyOf
from devlint.source.machine.domain.entries import without_one
from devlint.source.machine.domain.lattice import join, join_all
from devlint.source.machine.domain.option_values import GivenText
from devlint.source.machine.domain.tensors import of_turn, tensor_of
from devlint.source.machine.domain.texts import known_in_part
from devlint.source.machine.domain.values import (
    BOOL,
    INT,
    NONE,
    STRING,
    TOP,
    Array,
    Imported,
    Known,
    Method,
    Object,
    Reference,
    Scalar,
    Tensor,
    Value,
    alternatives,
    changed,
)
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.keys import (
    any_key,
    is_one_key,
    key_of,
    names_device,
    same_key,
    texts_of,
    under_key,
    value_of_key,
)
from devlint.source.machine.heap.machine import Elements, Machine
from devlint.source.machine.heap.objects import ELEMENT, Container
from devlint.source.machine.heap.registries import await_registration
from devlint.source.machine.library import comparing


def keeps_apart(machine: Machine, held: Container) -> bool:
    """Whether an element that is added to a container now may have a cell of its own.

    That is not so in a loop with an unknown number of turns, if the container was created outside of it: the
    number of elements would be that of the turns that the machine executes.
    """
    loop = machine.execution.loop
    while loop is not None and loop is not held.born:
        if loop.turns is None and loop.whole is None:
            return False
        loop = loop.before
    return True


def add(machine: Machine, held: Container, value: Value) -> None:
    """Add an element to a container."""
    if held.exact and keeps_apart(machine, held):
        machine.store.write(held, held.length, value)
        return
    before = held.element
    machine.store.write(held, ELEMENT, value if before is None else join(before, value))


def collect(made: Container, key: Value, value: Value) -> None:
    """Add an element to a dict that is being created."""
    cell = key_of(key)
    before = None if is_one_key(cell) else made.cells.get(cell)
    made.cells[cell] = value if before is None else join(before, value)


def put(machine: Machine, held: Container, index: Value, value: Value) -> None:
    """`container[index] = value`."""
    if isinstance(index, Method):
        _put_slice(machine, held, index, value)
        return
    if isinstance(index, KeyOf) and _are_its_keys(held, index):
        _replace_each(machine, held, value)
        return
    cell = _place(machine, held, index)
    if not is_one_key(cell) and held.kind == "dict":
        doubt(machine, held, index, value)
    before = None if is_one_key(cell) else held.cells.get(cell)
    machine.store.write(held, cell, value if before is None else join(before, value))


def _are_its_keys(held: Container, key: KeyOf) -> bool:
    """Whether iteration yields all keys of a dict: of the dict itself, or of another one if no key is known
    of either, as of two states of models."""
    return held in key.of or (held.kind == "dict" and {*held.cells} == {ELEMENT})


def _replace_each(machine: Machine, held: Container, value: Value) -> None:
    """`for key in entries: entries[key] = value`, which replaces all values if each turn of the loop does so,
    else those of its type, and the tensors from which it makes arrays."""
    kinds = tuple({type(each) for each in alternatives(value)})
    kinds += (Tensor,) if Array in kinds else ()
    always = _is_in_each_turn(machine)
    for key, each in list(held.cells.items()):
        if always or any(isinstance(one, kinds) for one in alternatives(each)):
            machine.store.write(held, key, value)


def _is_in_each_turn(machine: Machine) -> bool:
    """Whether each turn of the innermost loop executes the statement."""
    loop = machine.execution.loop
    return loop is not None and id(machine.frame.statement) in loop.constant


def _put_slice(machine: Machine, held: Container, index: Method, value: Value) -> None:
    """`container[start:stop] = values`, which replaces all elements if neither is given."""
    values = value.target if isinstance(value, Reference) and isinstance(value.target, Container) else None
    bounds = index.receiver.target if isinstance(index.receiver, Reference) else None
    if isinstance(bounds, Container) and set(bounds.items) == {NONE}:
        for key in list(held.cells):
            machine.store.write(held, key, None)
    elif values is not None and values.cells:
        machine.store.write(held, ELEMENT, join_all([*held.cells.values(), *values.cells.values()]))
        return
    for key, each in ({ELEMENT: TOP} if values is None else values.cells).items():
        machine.store.write(held, key, each)


def fill_in(machine: Machine, held: Container, index: Value, call: Call) -> None:
    """Add what a `defaultdict` makes for a key that it does not have; for any key if it is not known."""
    cell = key_of(index)
    if held.factory is None or cell in held.cells:
        return
    if is_one_key(cell) and _is_unused(held):
        machine.store.write(held, ELEMENT, None)
    if ELEMENT in held.cells:
        return
    place = _place(machine, held, index) if is_one_key(cell) else ELEMENT
    machine.store.write(held, place, machine.call(held.factory, call))


def _is_unused(held: Container) -> bool:
    """Whether a `defaultdict` has only what stands for the keys that unknown code may add, as it was made."""
    if [*held.cells] != [ELEMENT]:
        return False
    match held.cells[ELEMENT]:
        case Reference(target=Container() as made):
            return not made.cells or (made.factory is not None and _is_unused(made))
        case element:
            return isinstance(element, Known)


def doubt(machine: Machine, held: Object, index: Value, value: Value) -> None:
    """Forget the devices of the tensors of a dict, or of an object's attributes, any of which may have been
    replaced."""
    devices = {each.device for each in map(tensor_of, alternatives(value)) if each is not None}
    for key, each in list(held.cells.items()):
        if not is_one_key(key) or not isinstance(each, Tensor) or devices <= {each.device}:
            continue
        if any(same_key(key_of(one), key) is not False for one in alternatives(index)):
            machine.store.write(held, key, changed(each, device=UNKNOWN))


def _place(machine: Machine, held: Container, index: Value) -> object:
    """The cell for an element that is added to a container. The numbers of devices and of known strings are
    small enough to give each a cell."""
    cell = key_of(index) if held.kind == "dict" or isinstance(index, Known) else ELEMENT
    if held.kind != "dict" and held.exact and isinstance(cell, int) and cell < 0:
        cell += held.length
    few = held.kind == "dict" and cell != ELEMENT and (isinstance(cell, str) or names_device(cell))
    new = few or (held.exact and keeps_apart(machine, held))
    return cell if new or cell in held.cells else ELEMENT


def remove(machine: Machine, held: Container, index: Value) -> None:
    """`del container[index]`, if the index is known: a key, or the last position of a sequence."""
    cell = key_of(index)
    if held.kind != "dict" and held.exact and cell == -1:
        cell = held.length - 1
    goes = held.kind == "dict" or (cell == held.length - 1 and held.exact and keeps_apart(machine, held))
    if goes and is_one_key(cell) and cell in held.cells:
        machine.store.write(held, cell, None)


def extend(machine: Machine, held: Container, elements: Elements) -> None:
    """Add several elements to a container."""
    if elements.exact:
        for each in elements.items:
            add(machine, held, each)
    elif elements.items:
        before = held.element
        several = elements.items if before is None else [before, *elements.items]
        machine.store.write(held, ELEMENT, join_all(several))


_DICT_METHODS = frozenset({"get", "items", "keys", "pop", "popitem", "setdefault", "update", "values"})


def call_container(machine: Machine, held: Container, name: str, call: Call) -> Value:
    """`container.name(...)`."""
    first = call.passed[0].value if call.passed else NONE
    match name:
        case "append" | "add" | "appendleft" | "push" | "put" | "put_nowait":
            add(machine, held, first)
            return NONE
        case "insert":
            add(machine, held, call.passed[1].value if len(call.passed) > 1 else TOP)
            return NONE
        case "extend" | "update" if held.kind != "dict":
            extend(machine, held, machine.elements(first, call.frame, call.node))
            return NONE
        case _ if held.kind == "dict" and name in _DICT_METHODS:
            return _call_dict(machine, held, name, call)
        case "pop":
            return of_turn(_popped(machine, held, first), machine.execution.loop)
        case "popleft" | "get" | "get_nowait":
            return of_turn(join_all(held.cells.values()), machine.execution.loop) if held.cells else TOP
        case "clear":
            for key in list(held.cells):
                machine.store.write(held, key, None)
            return NONE
        case "copy":
            return machine.adopt(_twin(held))
        case "index" | "count":
            return INT
        case "sort":
            comparing.order(machine, call, machine.elements(Reference(held), call.frame, call.node))
            return NONE
        case "reverse":
            return NONE
        case "most_common" | "numel":
            return TOP
        case _:
            return TOP


def _popped(machine: Machine, held: Container, index: Value) -> Value:
    """The element that `pop` returns. The remaining ones are known if it is the last."""
    if not held.cells:
        return TOP
    if held.exact and index in (NONE, Known(-1)):
        last = held.length - 1
        found = held.cells[last]
        if keeps_apart(machine, held):
            machine.store.write(held, last, None)
        return found
    return join_all(held.cells.values())


def _twin(held: Container) -> Container:
    twin = Container(held.kind)
    twin.cells.update(held.cells)
    twin.factory = held.factory
    return twin


def _call_dict(machine: Machine, held: Container, name: str, call: Call) -> Value:
    match name:
        case "items":
            pairs = [(value_of_key(key), each) for key, each in _known(held)]
            made: list[Value] = [machine.adopt(Container("tuple", [key, each])) for key, each in pairs]
            if held.element is None:
                return machine.adopt(Container("list", made))
            rest = machine.adopt(Container("tuple", [any_key(held), join_all(held.cells.values())]))
            return machine.adopt(Container("list", element=rest))
        case "keys" if held.exact:
            return machine.adopt(Container("list", [value_of_key(key) for key, _ in _known(held)]))
        case "keys":
            return machine.adopt(Container("list", element=any_key(held)))
        case "values":
            items = [each for _, each in _known(held)]
            return machine.adopt(Container("list", items, held.element))
        case "popitem":
            return machine.adopt(Container("tuple", [STRING, join_all(held.cells.values())]))
        case "update":
            return _update(machine, held, call)
        case _:
            return _looked_up(machine, held, name, call)


def _known(held: Container) -> list[tuple[object, Value]]:
    return [(key, each) for key, each in held.cells.items() if key != ELEMENT]


def _update(machine: Machine, held: Container, call: Call) -> Value:
    for each in call.passed:
        if each.keyword:
            machine.store.write(held, each.keyword, each.value)
        elif isinstance(each.value, Reference) and isinstance(each.value.target, Container):
            for key, value in list(each.value.target.cells.items()):
                machine.store.write(held, key, value)
        else:
            machine.store.write(held, ELEMENT, TOP)
    return NONE


def _looked_up(machine: Machine, held: Container, name: str, call: Call) -> Value:
    """`get`, `pop` and `setdefault`."""
    key = call.first
    if name == "get":
        await_registration(machine, held, key)
    if isinstance(key, GivenText) and held.exact:
        key = Known(machine.text_of(key, texts_of(held)) or key.default)
    default = call.passed[1].value if len(call.passed) > 1 else NONE
    cell = key_of(key)
    if is_one_key(cell) and cell in held.cells:
        found = held.cells[cell]
        if name == "pop":
            machine.store.write(held, cell, None)
        return machine.resolved(found) if isinstance(found, Imported) else found
    if name == "setdefault":
        put(machine, held, key, default)
        return default
    found_there = under_key(held, key)
    if name == "pop" and held.element is not None:
        machine.store.write(held, ELEMENT, without_one(held.element))
    return default if found_there is None else join(found_there, default)


def call_string(machine: Machine, held: Known | Scalar, name: str, call: Call) -> Value:
    """`text.name(...)`."""
    if isinstance(held, Known) and isinstance(held.value, str):
        computed = _computed(machine, held.value, name, call)
        if computed is not None:
            return computed
    if isinstance(held, GivenText) and name in ("lower", "strip", "upper"):
        return held  # written as what the program compares it with
    match name:
        case "split" | "splitlines" | "rsplit":
            return machine.adopt(Container("list", element=STRING))
        case "startswith" | "endswith" if isinstance(held, GivenText) and isinstance(call.first, Known):
            return Known(machine.has_part(held, str(call.first.value)))
        case "startswith" | "endswith" | "isdigit" | "isalpha" | "isspace":
            return BOOL
        case "find" | "index" | "count":
            return INT
        case "item" if isinstance(held, Scalar) and not call.passed:
            return held
        case _:
            return STRING if isinstance(held, Known) or held.type == "str" else TOP


_MOST_PARTS = 8
"""At most this many parts of a text are kept separate."""
_LONG_WIDTH = re.compile(r"\d{4}")
"""A number of four digits in a format: as a width, it would make a long text."""
_PURE = frozenset(
    {"lower", "upper", "strip", "lstrip", "rstrip", "title", "replace", "startswith", "endswith",
     "removeprefix",
     "removesuffix", "split", "rsplit", "partition", "rpartition", "isdigit", "capitalize"}
)  # fmt: skip


def _computed(machine: Machine, text: str, name: str, call: Call) -> Value | None:
    plain: list[object] = []
    named: dict[str, object] = {}
    for each in call.passed:
        if not isinstance(each.value, Known):
            return known_in_part(text.partition("{")[0], call.values) if name == "format" else None
        if each.keyword:
            named[each.keyword] = each.value.value
        else:
            plain.append(each.value.value)
    if (name != "format" and name not in _PURE) or _LONG_WIDTH.search(text):
        return None
    try:
        result = getattr(text, name)(*plain, **named)
    except (TypeError, ValueError, IndexError, KeyError, AttributeError):
        return STRING
    if isinstance(result, (list, tuple)) and len(result) <= _MOST_PARTS:
        kind = "list" if isinstance(result, list) else "tuple"
        return machine.adopt(Container(kind, [Known(part) for part in result]))
    return Known(result) if isinstance(result, (str, int, bool)) else None
