"""Which operands of an operation are on devices that the operator's device rule forbids.

The rules of family DL1 share this judgement and differ in the operand that they report. Only devices that are
known to differ, or to differ if there is an accelerator, are a mismatch; unknown devices are legal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import combinations

from devlint.model import (
    APART,
    UNKNOWN,
    Concrete,
    Confidence,
    Device,
    Kind,
    Operand,
    Operation,
    Presumed,
    Relation,
    Step,
    Symbol,
    SymbolKind,
    compare,
    is_host,
    is_of_tensor,
)
from devlint.operators import MODULE_CALL, ArgumentKind, DeviceRule, Operator, OperatorArgument, find

_ONE_DEVICE = frozenset({DeviceRule.SAME, DeviceRule.SAME_OR_0_DIM_HOST, DeviceRule.HOST_READ})
"""Rules that require all tensor operands on one device. `torch.equal`, which reads to the host, has such a
rule."""

_NO_TENSOR = frozenset({ArgumentKind.GENERATOR, ArgumentKind.DEVICE, ArgumentKind.OTHER})

_INDEX_NAMES = frozenset({"index", "indices"})
"""Names of the index of `gather`, `index_select` and similar functions, which must be on the others'
device."""


class Demand(Enum):
    """What the operator demands of the mismatched operands."""

    OPERANDS = "operands on one device"
    INDEX = "an index on the host or on the device of what it indexes"
    MODULE = "a module and its inputs on one device"


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Mismatched operands.

    `operands` are those of `pairs`, each once, in the order of the arguments. `relation` is the most certain
    one of the pairs. `sureness` is the confidence of each pair, derived from the operands themselves.
    """

    demand: Demand
    operands: tuple[Operand, ...]
    pairs: tuple[tuple[Operand, Operand], ...]
    relation: Relation
    sureness: tuple[Confidence, ...]

    @property
    def confidence(self) -> Confidence:
        """The highest confidence of a pair."""
        return Confidence.surest(self.sureness)

    def confidence_in(self, operand: Operand) -> Confidence:
        """The highest confidence of a pair with the operand.

        Raises: ValueError: if no pair has the operand.
        """
        levels = zip(self.pairs, self.sureness, strict=True)
        return Confidence.surest(level for pair, level in levels if operand in pair)

    def against(self, operand: Operand) -> Operand:
        """An operand on another device: the first that has an expression for its device, else the first.

        Raises: LookupError: if no pair has the operand.
        """
        others = [
            right if left == operand else left for left, right in self.pairs if operand in (left, right)
        ]
        if not others:
            raise LookupError(f"{operand.path} clashes with nothing")
        return next((other for other in others if other.anchor), others[0])

    def stray(self) -> Operand:
        """The operand to report: one on the host, else the later one."""
        return next((operand for operand in self.operands if is_host(operand.device)), self.operands[-1])


def mismatch(event: Operation) -> Mismatch | None:
    """The mismatched operands of an operation; None if there are none, or too little is known."""
    known = [operand for operand in event.operands if operand.device != UNKNOWN]
    if len({operand.device for operand in known}) < 2:
        return None
    if event.operator == MODULE_CALL:
        return _module_and_inputs(known, event)
    operator = find(event.operator)
    if operator is None:
        return None
    tensors = [operand for operand in known if _is_tensor(operator, operand)]
    if any(declared.index for declared in operator.arguments):
        return _indexing(operator, tensors, event)
    if operator.rule in _ONE_DEVICE:
        return _one_device(operator, tensors, event)
    return None


def argument(operator: Operator, operand: Operand) -> OperatorArgument | None:
    """The operator's argument for which an operand is given. The receiver of a method is the first one."""
    found = next((each for each in operator.arguments if each.name == operand.parameter), None)
    if found is None and operand.parameter in ("self", "input"):
        return next(iter(operator.arguments), None)
    return found


def generator_relation(generator: Device, target: Device) -> Relation:
    """The relation of a generator's device to the device of the result: only the types must agree."""
    if isinstance(generator, Concrete) and isinstance(target, Concrete) and generator.type == target.type:
        return Relation.SAME
    return compare(generator, target)


def _is_tensor(operator: Operator, operand: Operand) -> bool:
    if operand.kind is not Kind.TENSOR:
        return False
    declared = argument(operator, operand)
    return declared is None or not (declared.host or declared.anywhere or declared.kind in _NO_TENSOR)


def _one_device(operator: Operator, tensors: Sequence[Operand], event: Operation) -> Mismatch | None:
    bound = [operand for operand in tensors if not _is_excused(operator, operand)]
    pairs = _apart(combinations(bound, 2))
    indexing = any(_is_index(operator, operand) for pair in pairs for operand in pair)
    return _found(Demand.INDEX if indexing else Demand.OPERANDS, pairs, tensors, event)


def _indexing(operator: Operator, tensors: Sequence[Operand], event: Operation) -> Mismatch | None:
    """`x[i]` and `x[i] = v`.

    A write copies from any device. Only if a tensor with dimensions is the index, the value must be on the
    device of `x`, or have one element. (Observed with torch 2.13.) If these dimensions are presumed, the
    mismatch is likely.
    """
    others = [operand for operand in tensors if not _is_index(operator, operand)]
    if not others or not _is_receiver(operator, others[0]):
        return None
    base, *values = others
    of_tensors = (operand for operand in event.operands if operand.kind is Kind.TENSOR)
    indices = [operand for operand in of_tensors if _is_index(operator, operand)]
    if not _takes_value(operator):
        clashing = _apart((base, index) for index in indices if _is_bound_index(base, index))
        return _found(Demand.INDEX, clashing, tensors, event)
    is_sure = any(index.rank0 is False or index.boolean is True for index in indices)
    if not is_sure and not any(index.rank0 is Presumed.DIMENSIONS for index in indices):
        return None
    clashing = _apart((base, value) for value in values if value.rank0 in (False, Presumed.DIMENSIONS))
    found = _found(Demand.OPERANDS, clashing, tensors, event)
    if found is None or (is_sure and any(value.rank0 is False for _, value in clashing)):
        return found
    least = (max(each, Confidence.LIKELY, key=lambda level: level.rank) for each in found.sureness)
    return replace(found, sureness=tuple(least))


def _takes_value(operator: Operator) -> bool:
    """Whether an indexing operator writes: it takes a third tensor."""
    return any(
        declared.kind is ArgumentKind.TENSOR and not declared.index for declared in operator.arguments[1:]
    )


def _is_bound_index(base: Operand, index: Operand) -> bool:
    """Whether reading through the index is illegal from another device.

    A host index is copied, and the host reads a 0-dim index on a device. An index of unknown rank counts as
    legal, except into a module's own state: there even the legal case copies or waits in every call. For a
    write, torch copies an index of any rank. (Observed with torch 2.13.)
    """
    if is_host(index.device) or index.rank0 is True:
        return False
    has_dimensions = index.rank0 in (False, Presumed.DIMENSIONS)
    return has_dimensions or index.boolean is True or bool(base.attribute)


def _module_and_inputs(known: Sequence[Operand], event: Operation) -> Mismatch | None:
    """The pairs of the module and each input; a 0-dim tensor may be on any device."""
    module, *inputs = known
    if module.kind is not Kind.MODULE:
        return None
    tensors = [operand for operand in inputs if operand.kind is Kind.TENSOR and operand.rank0 is not True]
    counted = [operand for operand in tensors if not _is_moved_to_module(operand, module)]
    return _found(Demand.MODULE, _apart((module, operand) for operand in counted), known, event)


def _is_moved_to_module(operand: Operand, module: Operand) -> bool:
    """Whether a tensor was moved to the device of a module, whatever it is: `x.to(self.lm.device)`."""
    device = operand.device
    return isinstance(device, Symbol) and device.name == f"{module.path}.device"


def _apart(pairs: Iterable[tuple[Operand, Operand]]) -> tuple[tuple[Operand, Operand], ...]:
    return tuple((left, right) for left, right in pairs if compare(left.device, right.device) in APART)


def _sureness(left: Operand, right: Operand, demand: Demand, event: Operation) -> Confidence:
    """The confidence of a mismatch, derived from its two operands.

    A mismatch that depends on the device of an argument is only possible if the argument may be on the host:
    the other operand was moved there by the program, or is, outside of a forward, the state of a module or a
    module that is an argument, too. A mismatch with a further input of a module, of unknown rank, is also
    only possible. A mismatch that depends on presumed dimensions is likely, and on those that there are
    perhaps, possible.
    """
    if _meets_what_was_brought_down(left, right) or _meets_state_of_another(left, right, event):
        return Confidence.POSSIBLE
    if event.operator != MODULE_CALL:
        rests_on = (each for each in (left, right) if is_host(each.device) or demand is Demand.INDEX)
        ranks = {each.rank0 for each in rests_on}
        if Presumed.PERHAPS in ranks:
            return Confidence.POSSIBLE
        return Confidence.LIKELY if Presumed.DIMENSIONS in ranks else Confidence.CERTAIN
    module, operand = left, right
    is_further = operand.rank0 in (None, Presumed.PERHAPS) and operand != _first_input(event)
    if is_further or (_is_outside(module) and is_host(operand.device)):
        return Confidence.POSSIBLE
    return Confidence.LIKELY if operand.rank0 is Presumed.DIMENSIONS else Confidence.CERTAIN


def _is_outside(module: Operand) -> bool:
    """Whether a module is an argument, or part of one, which the program itself does not move."""
    device = module.device
    is_part = isinstance(device, Symbol) and device.kind is SymbolKind.MODULE and device.name != "self"
    return is_part and not module.origin.was_moved


def _first_input(event: Operation) -> Operand | None:
    tensors = (operand for operand in event.operands[1:] if operand.kind is Kind.TENSOR)
    return next((operand for operand in tensors if operand.rank0 is not True), None)


def _meets_state_of_another(left: Operand, right: Operand, event: Operation) -> bool:
    """Whether a method other than forward got a tensor, which need not be on the device of the module's
    state."""
    with_state = event.hot is None and any(operand.attribute for operand in event.operands)
    return with_state and (_is_from_caller(left) or _is_from_caller(right))


def _meets_what_was_brought_down(left: Operand, right: Operand) -> bool:
    """Whether one was moved to the host, or created there explicitly, and the other is an argument.

    The author of `pred.cpu()` beside `target` may know that `target` is on the host, unless both came in
    together.
    """
    for one, other in ((left, right), (right, left)):
        outside = isinstance(other.device, Symbol) and other.device.kind is not SymbolKind.DEVICE
        if outside and is_host(one.device) and _is_brought_down(one):
            return not _share_a_source(one, other)
    return False


def _is_brought_down(operand: Operand) -> bool:
    """Whether its last step moved it from a device to the host, or created it with `device="cpu"`."""
    last = operand.origin.last
    if last is not None and last.step is Step.MADE and is_host(last.device) and not last.implicit:
        maker = find(last.operator)
        return maker is not None and maker.rule is DeviceRule.FACTORY
    if last is None or last.step is not Step.MOVED or not is_host(last.device):
        return False
    before = operand.origin.steps[-2:-1]
    return not any(is_host(step.device) for step in before)


def _is_from_caller(operand: Operand) -> bool:
    return is_of_tensor(operand.device)


def _share_a_source(one: Operand, other: Operand) -> bool:
    first, second = one.origin.first, other.origin.first
    return first is not None and second is not None and first.site == second.site


def _found(
    demand: Demand,
    pairs: tuple[tuple[Operand, Operand], ...],
    order: Sequence[Operand],
    event: Operation,
) -> Mismatch | None:
    if not pairs:
        return None
    relations = {compare(left.device, right.device) for left, right in pairs}
    relation = next(relation for relation in APART if relation in relations)
    clashing = {id(operand) for pair in pairs for operand in pair}
    operands = tuple(each for each in order if id(each) in clashing)
    sureness = tuple(_sureness(left, right, demand, event) for left, right in pairs)
    return Mismatch(demand, operands, pairs, relation, sureness)


def _is_excused(operator: Operator, operand: Operand) -> bool:
    """Whether the operand is, or may be, a 0-dim host tensor, for an argument that permits one. A tensor that
    is presumed to have dimensions, or perhaps has some, is not excused."""
    if not is_host(operand.device) or operand.rank0 is False or isinstance(operand.rank0, Presumed):
        return False
    declared = argument(operator, operand)
    if declared is None:
        return operator.rule is DeviceRule.SAME_OR_0_DIM_HOST
    return operator.takes_zero_dim_host(declared)


def _is_receiver(operator: Operator, operand: Operand) -> bool:
    declared = argument(operator, operand)
    return declared is not None and bool(operator.arguments) and declared is operator.arguments[0]


def _is_index(operator: Operator, operand: Operand) -> bool:
    declared = argument(operator, operand)
    return declared is not None and (declared.index or declared.name in _INDEX_NAMES)
