"""Comparisons."""

from __future__ import annotations

from contextlib import nullcontext

from devlint.model import APART, CPU, Confidence, Device, SettingKind, parse_device
from devlint.model import compare as relation
from devlint.operators import find
from devlint.source import ir
from devlint.source.machine.domain import dtypes
from devlint.source.machine.domain.inputs import Input, computed
from devlint.source.machine.domain.kinds import is_of_tensor_type, kind_of
from devlint.source.machine.domain.lattice import join_all, least_sure, scalar_type
from devlint.source.machine.domain.naming import device_named
from devlint.source.machine.domain.option_values import GivenText, OmittedOption
from devlint.source.machine.domain.values import (
    AVAILABLE,
    BOOL,
    NONE,
    TRUE,
    UNAVAILABLE,
    AcceleratorName,
    Array,
    DeviceValue,
    Known,
    Method,
    Reference,
    Scalar,
    Tensor,
    Top,
    Union,
    Value,
    alternatives,
)
from devlint.source.machine.heap.files import Class
from devlint.source.machine.heap.frames import Frame, Passed
from devlint.source.machine.heap.keys import has_ordinal, never_equal, same_place
from devlint.source.machine.heap.objects import Container, Instance, is_marker
from devlint.source.machine.heap.paths import differs_by_path
from devlint.source.machine.library import numpy_results
from devlint.source.machine.library.options import sureness_of_devices
from devlint.source.machine.operators.apply import apply, correlated
from devlint.source.machine.transfer import logic, membership, numbers, sequences
from devlint.source.machine.transfer.first_turns import as_turn
from devlint.source.machine.transfer.forms import is_one_of_several_forms
from devlint.source.machine.transfer.instances import CONTAINERS
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.machine.transfer.membership import Side
from devlint.source.machine.transfer.truth import may_be_any_attribute
from devlint.source.walk import text, walk


def compare(
    machine: Interpreter, node: ir.Compare, name: str, left: Side, right: Side, frame: Frame
) -> Value:
    """`left name right`."""
    one, other = left[1], right[1]
    omitted = next((each for each in (one, other) if isinstance(each, OmittedOption)), None)
    if omitted is not None and one == other and name in ("is", "is_not", "eq", "ne"):
        return logic.negated(omitted.given) if name in ("is", "eq") else omitted.given
    truth = logic.compared(name, one, other)
    if truth is not None:
        return truth
    if name in ("is", "is_not"):
        same = _is_same(one, other, frame)
        if same is None:
            return BOOL
        holds = same is (name == "is")
        if isinstance(one, AcceleratorName) or isinstance(other, AcceleratorName):
            return AVAILABLE if holds else UNAVAILABLE
        return Known(holds)
    if isinstance(one, Union) or isinstance(other, Union):
        return _of_alternatives(machine, node, name, left, right, frame)
    if name in ("in", "not_in"):
        return membership.contains(machine, node, name, left, right, frame)
    if name in ("eq", "ne") and (isinstance(one, GivenText) or isinstance(other, GivenText)):
        return _of_given(machine, name, one, other)
    if name in ("eq", "ne") and (alike := dtypes.are_equal(one, other)) is not None:
        return Known(alike is (name == "eq"))
    if isinstance(one, Tensor) or isinstance(other, Tensor):
        return _of_tensors(machine, node, name, left, right, frame)
    if isinstance(one, DeviceValue) or isinstance(other, DeviceValue):
        return _of_devices(machine, node, name, left, right, frame)
    if name in ("eq", "ne") and _is_text(one) and _is_text(other):
        machine.log.refute(frame.site(node))
    if isinstance(one, Known) and isinstance(other, Known):
        held = numbers.of_constants(name, one, other)
        asks = isinstance(one, AcceleratorName) or isinstance(other, AcceleratorName)
        return Scalar("bool", availability=True) if asks and held == TRUE else held
    if isinstance(one, Array) or isinstance(other, Array):
        return numpy_results.compared(one, other)
    if _is_member(one) and _is_member(other) and name in ("eq", "ne"):
        return Known((one == other) is (name == "eq"))
    if name in ("eq", "ne") and (equal := sequences.are_equal(one, other)) is not None:
        return Known(equal is (name == "eq"))
    sequences.read(machine, node, one, other, frame)
    if isinstance(one, Input) and _may_be_elementwise(one, other):
        return _of_elements(one)
    if isinstance(other, Input) and _may_be_elementwise(other, one):
        return _of_elements(other)
    return as_turn(machine, name, left, other, numbers.of_scalars(name, one, other), frame)


def _may_be_elementwise(held: Input, other: Value) -> bool:
    """Whether the comparison of an input is element-wise if the input is a tensor: with a number, or with an
    input of which one is a tensor."""
    if held.refuted:
        return False
    match other:
        case Input():
            return held.evident or (other.evident and not other.refuted)
        case Scalar(type="int", periodic=0, counter=True):
            return held.evident or held.of_forward
        case Scalar(periodic=periodic, counter=counter, availability=availability):
            return not (periodic or counter or availability) and scalar_type(other) in ("int", "float")
        case Known():
            return scalar_type(other) in ("int", "float")
        case _:
            return False


def _of_elements(held: Input) -> Input:
    """The result of an element-wise comparison of an input."""
    made = computed(held)
    made.boolean = True
    return made


def _is_member(held: Value) -> bool:
    """Whether a value is a member of an enumeration."""
    target = held.target if isinstance(held, Reference) else None
    return isinstance(target, Instance) and isinstance(target.of, Class) and "enum" in target.of.marks


def _of_alternatives(
    machine: Interpreter, node: ir.Compare, name: str, left: Side, right: Side, frame: Frame
) -> Value:
    if _is_in_two_forms(left[1], right[1]) or _is_in_two_forms(right[1], left[1]):
        return BOOL
    several = differs_by_path(left[1]) or differs_by_path(right[1])
    with machine.on_one_path(left[1], right[1]) if several else nullcontext():
        return join_all(
            compare(machine, node, name, (left[0], one), (right[0], other), frame)
            for one in alternatives(left[1])
            for other in alternatives(correlated(left[1], right[1]))
        )


def _is_in_two_forms(held: Value, other: Value) -> bool:
    """Whether a device is a string on some paths, which is the purpose of a comparison with a string."""
    devices = (each for each in alternatives(held) if isinstance(each, DeviceValue) or _is_text(each))
    forms = {_is_text(each) for each in devices}
    return len(forms) > 1 and all(map(_is_text, alternatives(other)))


def _is_text(held: Value) -> bool:
    match held:
        case Known() | Scalar():
            return scalar_type(held) == "str"
        case DeviceValue(is_string=is_string):
            return is_string
        case _:
            return False


def _is_same(one: Value, other: Value, frame: Frame) -> bool | None:
    """`one is other`, if one is None."""
    if NONE not in (one, other):
        if _is_member(one) and _is_member(other):
            return one == other
        if isinstance(one, Known) and isinstance(other, Known):
            return one.value is other.value if isinstance(one.value, bool) else None
        if isinstance(one, Tensor) and isinstance(other, Tensor):
            return False if relation(one.device, other.device) in APART else None
        return _is_marker(one, other) if is_marker(other) else dtypes.are_equal(one, other)
    if one == other:
        return True
    held = other if one == NONE else one
    if isinstance(held, Union):
        return None if NONE in held.alternatives else False
    if isinstance(held, Input):
        return None if _may_be_none(held, frame) else False
    return None if isinstance(held, Top) or _is_of_unknown(held) else False


def _is_of_unknown(held: Value) -> bool:
    """Whether it is an attribute of an object of which nothing is known."""
    return isinstance(held, Method) and may_be_any_attribute(held)


def _is_marker(held: Value, marker: Value) -> bool | None:
    """`item is END`, where `END = object()`."""
    answers = {None if isinstance(each, Top) else each == marker for each in alternatives(held)}
    return answers.pop() if len(answers) == 1 else None


def _may_be_none(held: Input, frame: Frame) -> bool:
    """Whether an input may be None. What a function is given is not, unless the function asks itself before
    it uses it: other functions ask because they have other callers."""
    if held.may_be_none is None:
        asks_itself = frame.function is None or held.given_to in (None, frame.function.identity)
        held.may_be_none = asks_itself
    return held.may_be_none


def _of_tensors(
    machine: Interpreter, node: ir.Compare, name: str, left: Side, right: Side, frame: Frame
) -> Value:
    if any(each == NONE or _is_text(each) or _is_container(each) for each in (left[1], right[1])):
        return Known(name == "ne")  # torch compares with none of these, so that Python compares identities
    if not isinstance(left[1], (Tensor, Input)):
        left, right = right, left
    operator = find(f"torch.Tensor.__{name}__")
    if operator is None:
        return BOOL
    operands = [Passed(value, expression, frame.site(expression)) for expression, value in (left, right)]
    return apply(machine, frame.site(node), operator, operands)


def _is_container(held: Value) -> bool:
    return (
        isinstance(held, Reference) and isinstance(held.target, Container) and held.target.kind in CONTAINERS
    )


def _of_given(machine: Interpreter, name: str, one: Value, other: Value) -> Value:
    """A comparison with an option that is given as a text."""
    given, text = (one, other) if isinstance(one, GivenText) else (other, one)
    if not isinstance(given, GivenText) or not isinstance(text, Known):
        return BOOL
    equal = isinstance(text.value, str) and machine.text_of(given, [text.value]) is not None
    return Known(equal is (name == "eq"))


def _of_devices(
    machine: Interpreter, node: ir.Compare, name: str, left: Side, right: Side, frame: Frame
) -> Value:
    """A comparison with a device. A `torch.device` equals no string; one without an ordinal equals none with
    an ordinal."""
    _forget_compared(machine, (left, right), frame)
    if name not in ("eq", "ne"):
        return BOOL
    if not isinstance(left[1], DeviceValue):
        left, right = right, left
    device, other = left[1], right[1]
    assert isinstance(device, DeviceValue)
    if device.names_dtype:
        return _of_tensor_types(device.device, other, name)
    if isinstance(other, Known) and isinstance(other.value, str) and device.is_string:
        if device.is_type:
            return _of_kinds(kind_of(device.device), other.value, name)
        named = parse_device(other.value)
        return BOOL if named is None else _of_places(device.device, named, name)
    if isinstance(other, Known) and isinstance(other.value, str):
        takes_text = _defaults_to_text(left[0], frame)
        is_word = parse_device(other.value) is None and takes_text
        if is_word or is_one_of_several_forms(node, name, left[0], frame.statement):
            return Known(name == "ne")
        confidence = Confidence.CERTAIN if device.of_tensor else device.confidence
        if takes_text and not _is_rebound(left[0], frame):
            confidence = Confidence.POSSIBLE
        machine.setting(
            SettingKind.DEVICE_COMPARISON,
            frame.site(node),
            other.value,
            text(left[0]),
            # One link of a chain is not mended by itself: the same expression stands in the next one.
            frame.site(left[0]) if len(node.rest) == 1 else None,
            least_sure(machine.root_confidence, confidence),
        )
        return Known(name == "ne")
    if isinstance(other, Input):
        # As a string it would equal no device either, so that it counts as the one that it may name.
        other = device_named(other) or other
    if not isinstance(other, DeviceValue):
        return BOOL
    one, another = device.device, other.device
    if has_ordinal(device) is not has_ordinal(other):
        plain, full = (left, right) if has_ordinal(other) else (right, left)
        if never_equal(*((device, other) if has_ordinal(other) else (other, device))):
            machine.setting(
                SettingKind.ORDINAL_COMPARISON,
                frame.site(node),
                text(plain[0]),
                text(full[0]),
                frame.site(full[0]),
                least_sure(  # It is true for any device of the tensor.
                    machine.root_confidence,
                    (device if has_ordinal(other) else other).confidence,
                    sureness_of_devices(machine.world),
                ),
            )
            return Known(name == "ne")
    return _of_places(one, another, name)


def _forget_compared(machine: Interpreter, compared: tuple[Side, Side], frame: Frame) -> None:
    """Forget that a program names an accelerator where it only compares it: `== torch.device("cuda")`."""
    named = {
        frame.site(argument.value)
        for each, held in compared
        if isinstance(each, ir.CallExpression) and isinstance(held, DeviceValue)
        for argument in each.arguments
        if isinstance(argument.value, ir.Constant)
    }
    facts = machine.process.facts
    facts.hard_coded = [each for each in facts.hard_coded if each.site not in named]


def _of_kinds(kind: str | None, named: str, name: str) -> Value:
    """`device.type == "cuda"`: for an accelerator, a test whether there is one."""
    return _asked_of_accelerator(kind, holds=(kind == named) is (name == "eq"))


def _asked_of_accelerator(kind: str | None, *, holds: bool) -> Value:
    """The result of a test of a device type: for an accelerator, whether there is one."""
    if kind in (None, str(CPU)):
        return Known(holds)
    return AVAILABLE if holds else UNAVAILABLE


def _defaults_to_text(expression: ir.Expression, frame: Frame) -> bool:
    """Whether an expression is a parameter whose default is a string, such as `"auto"`."""
    if frame.function is None or not isinstance(expression, ir.Name):
        return False
    default = frame.function.defaults.get(expression.name)
    return default is not None and _is_text(default)


def _is_rebound(parameter: ir.Expression, frame: Frame) -> bool:
    """Whether a function reassigns a parameter, as in `device = torch.device(device)`."""
    body = frame.function.node.body if frame.function is not None else ()
    if not isinstance(body, tuple) or not isinstance(parameter, ir.Name):
        return False
    assigned = (each.targets for each in walk(body) if isinstance(each, ir.Assign))
    names = (each for targets in assigned for each in walk(targets))
    return any(isinstance(each, ir.Name) and each.name == parameter.name for each in names)


def _of_tensor_types(device: Device, other: Value, name: str) -> Value:
    """Compares the strings that name tensor types, such as `torch.cuda.FloatTensor`: they differ if the types
    of their devices do, whatever the dtypes are."""
    if isinstance(other, DeviceValue):
        kind, another = kind_of(device), kind_of(other.device)
        return BOOL if None in (kind, another) or kind == another else Known(name == "ne")
    is_it = is_of_tensor_type(device, str(other.value)) if isinstance(other, Known) else None
    return BOOL if is_it is None else _asked_of_accelerator(kind_of(device), holds=is_it is (name == "eq"))


def _of_places(one: Device, another: Device, name: str) -> Value:
    """Compares two devices."""
    same = same_place(one, another)
    return BOOL if same is None else Known(same is (name == "eq"))
