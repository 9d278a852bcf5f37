"""Which operands of an operation cannot be where they are, by the operator's device rule.

The rules of family DL1 share this judgement and differ in whom they blame. It speaks only of devices that are
known to differ, or known to differ wherever there is an accelerator; all that is unknown is legal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
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
)
from devlint.operators import MODULE_CALL, ArgumentKind, DeviceRule, Operator, OperatorArgument, find

_ONE_DEVICE = frozenset({DeviceRule.SAME, DeviceRule.SAME_OR_0_DIM_HOST, DeviceRule.HOST_READ})
"""Rules under which all tensor operands belong on one device. `torch.equal` reads to the host and is one."""

_NO_TENSOR = frozenset({ArgumentKind.GENERATOR, ArgumentKind.DEVICE, ArgumentKind.OTHER})

_INDEX_NAMES = frozenset({"index", "indices"})
"""What torch calls the index of `gather`, `index_select` and their kin, which belongs beside the rest."""


class Demand(Enum):
    """What the operator demands of the operands that clash."""

    OPERANDS = "operands on one device"
    INDEX = "an index on the host or on the device of what it indexes"
    MODULE = "a module and its inputs on one device"


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Operands that clash.

    `operands` are those of `pairs`, each once, in the order of the arguments. `relation` is the most certain
    one of the pairs. `sureness` says of each pair how sure it is, as far as the operands themselves tell.
    """

    demand: Demand
    operands: tuple[Operand, ...]
    pairs: tuple[tuple[Operand, Operand], ...]
    relation: Relation
    sureness: tuple[Confidence, ...]

    @property
    def confidence(self) -> Confidence:
        """How sure the surest pair is."""
        return Confidence.surest(self.sureness)

    def confidence_in(self, operand: Operand) -> Confidence:
        """How sure it is that the operand clashes with any other.

        Raises:
            ValueError: it clashes with nothing.
        """
        levels = zip(self.pairs, self.sureness, strict=True)
        return Confidence.surest(level for pair, level in levels if operand in pair)

    def against(self, operand: Operand) -> Operand:
        """What the operand clashes with: the first that has an expression for its device, else the first.

        Raises:
            LookupError: it clashes with nothing.
        """
        others = [
            right if left == operand else left for left, right in self.pairs if operand in (left, right)
        ]
        if not others:
            raise LookupError(f"{operand.path} clashes with nothing")
        return next((other for other in others if other.anchor), others[0])

    def stray(self) -> Operand:
        """The operand to blame: one on the host, else the one that came later."""
        return next((operand for operand in self.operands if is_host(operand.device)), self.operands[-1])


def mismatch(event: Operation) -> Mismatch | None:
    """The operands of an operation that clash, or None where all is legal or too little is known."""
    known = [operand for operand in event.operands if operand.device != UNKNOWN]
    if len({operand.device for operand in known}) < 2:
        return None
    if event.operator == MODULE_CALL:
        return _module_and_inputs(known, event)
    operator = find(event.operator)
    if operator is None:
        return None
    tensors = [operand for operand in known if _is_tensor(operator, operand)]
    if any(given.index for given in operator.arguments):
        return _indexing(operator, tensors, event)
    if operator.rule in _ONE_DEVICE:
        return _one_device(operator, tensors, event)
    return None


def argument(operator: Operator, operand: Operand) -> OperatorArgument | None:
    """The operator's argument that an operand stands for. A method's receiver is its first one."""
    found = next((each for each in operator.arguments if each.name == operand.parameter), None)
    if found is None and operand.parameter in ("self", "input"):
        return next(iter(operator.arguments), None)
    return found


def generator_relation(generator: Device, target: Device) -> Relation:
    """How a generator's device stands to the device that it draws for: only the types have to agree."""
    if isinstance(generator, Concrete) and isinstance(target, Concrete) and generator.type == target.type:
        return Relation.SAME
    return compare(generator, target)


def _is_tensor(operator: Operator, operand: Operand) -> bool:
    if operand.kind is not Kind.TENSOR:
        return False
    given = argument(operator, operand)
    return given is None or not (given.host or given.anywhere or given.kind in _NO_TENSOR)


def _one_device(operator: Operator, tensors: Sequence[Operand], event: Operation) -> Mismatch | None:
    bound = [operand for operand in tensors if not _is_excused(operator, operand)]
    pairs = _apart(combinations(bound, 2))
    indexing = any(_is_index(operator, operand) for pair in pairs for operand in pair)
    return _found(Demand.INDEX if indexing else Demand.OPERANDS, pairs, tensors, event)


def _indexing(operator: Operator, tensors: Sequence[Operand], event: Operation) -> Mismatch | None:
    """`x[i]` and `x[i] = v`.

    A write copies from whichever device, unless a tensor with dimensions indexes: then the value has to be
    beside `x`, or to have one element. (Seen on torch 2.13.)
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
    if not any(index.rank0 is False or index.boolean is True for index in indices):
        return None
    clashing = _apart((base, value) for value in values if value.rank0 is False)
    return _found(Demand.OPERANDS, clashing, tensors, event)


def _takes_value(operator: Operator) -> bool:
    """Whether an indexing operator writes: it takes a tensor besides what is indexed and the indices."""
    return any(given.kind is ArgumentKind.TENSOR and not given.index for given in operator.arguments[1:])


def _is_bound_index(base: Operand, index: Operand) -> bool:
    """Whether reading through the index is illegal from another device.

    A host index is copied over, and a 0-dim one on a device is read by the host, which waits for it. An index
    of unknown rank is let pass, except into a module's own state: there even the legal case copies or waits
    in every call. When writing, torch copies the index to where it is needed, whatever its rank. (Seen on
    torch 2.13.)
    """
    if is_host(index.device) or index.rank0 is True:
        return False
    has_dimensions = index.rank0 in (False, Presumed.DIMENSIONS)
    return has_dimensions or index.boolean is True or bool(base.attribute)


def _module_and_inputs(known: Sequence[Operand], event: Operation) -> Mismatch | None:
    """The module against each input; a tensor without dimensions may come from anywhere."""
    module, *inputs = known
    if module.kind is not Kind.MODULE:
        return None
    tensors = [operand for operand in inputs if operand.kind is Kind.TENSOR and operand.rank0 is not True]
    counted = [operand for operand in tensors if not _is_beside(operand, module)]
    return _found(Demand.MODULE, _apart((module, operand) for operand in counted), known, event)


def _is_beside(operand: Operand, module: Operand) -> bool:
    """Whether a tensor was put where a module says that it is, wherever that be: `x.to(self.lm.device)`."""
    device = operand.device
    return isinstance(device, Symbol) and device.name == f"{module.path}.device"


def _apart(pairs: Iterable[tuple[Operand, Operand]]) -> tuple[tuple[Operand, Operand], ...]:
    return tuple((left, right) for left, right in pairs if compare(left.device, right.device) in APART)


def _sureness(left: Operand, right: Operand, demand: Demand, event: Operation) -> Confidence:
    """How sure a clash is, as far as the two operands tell.

    One that rests on the device of what came in from outside is possible, and no more, where something speaks
    for the host: it meets what the program has brought there, or it meets, away from a forward, the state of
    a module, or a module that came in from outside too. So is one that rests on a further input of a module
    of which nobody knows whether it has dimensions; where that is presumed, the clash is likely.
    """
    if _meets_what_was_brought_down(left, right) or _meets_state_of_another(left, right, event):
        return Confidence.POSSIBLE
    if event.operator != MODULE_CALL:
        rests_on = (each for each in (left, right) if is_host(each.device) or demand is Demand.INDEX)
        presumed = any(each.rank0 is Presumed.DIMENSIONS for each in rests_on)
        return Confidence.LIKELY if presumed else Confidence.CERTAIN
    module, given = left, right
    is_further = given.rank0 is None and given != _first_input(event)
    if is_further or (_is_outside(module) and is_host(given.device)):
        return Confidence.POSSIBLE
    return Confidence.LIKELY if given.rank0 is Presumed.DIMENSIONS else Confidence.CERTAIN


def _is_outside(module: Operand) -> bool:
    """Whether a module came in from outside, or is a part of one that did."""
    device = module.device
    return isinstance(device, Symbol) and device.kind is SymbolKind.MODULE and device.name != "self"


def _first_input(event: Operation) -> Operand | None:
    tensors = (operand for operand in event.operands[1:] if operand.kind is Kind.TENSOR)
    return next((operand for operand in tensors if operand.rank0 is not True), None)


def _meets_state_of_another(left: Operand, right: Operand, event: Operation) -> bool:
    """Whether a method, but no forward, was given a tensor, which need not be beside the module's state."""
    with_state = event.hot is None and any(operand.attribute for operand in event.operands)
    return with_state and (_is_given(left) or _is_given(right))


def _meets_what_was_brought_down(left: Operand, right: Operand) -> bool:
    """Whether one was brought to the host, or made there by name, and the other came in from outside.

    Who writes `pred.cpu()` beside `target` may know where `target` is, unless both came in together.
    """
    for one, other in ((left, right), (right, left)):
        outside = isinstance(other.device, Symbol) and other.device.kind is not SymbolKind.DEVICE
        if outside and is_host(one.device) and _is_brought_down(one):
            return not _share_a_source(one, other)
    return False


def _is_brought_down(operand: Operand) -> bool:
    """Whether it was moved to the host last, and was not there before, or was made with `device="cpu"`."""
    last = operand.origin.last
    if last is not None and last.step is Step.MADE and is_host(last.device) and not last.implicit:
        maker = find(last.operator)
        return maker is not None and maker.rule is DeviceRule.FACTORY
    if last is None or last.step is not Step.MOVED or not is_host(last.device):
        return False
    before = operand.origin.steps[-2:-1]
    return not any(is_host(step.device) for step in before)


def _is_given(operand: Operand) -> bool:
    return isinstance(operand.device, Symbol) and operand.device.kind is SymbolKind.TENSOR


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
    """Whether the operand is, or may well be, a 0-dim host tensor in a place where the operator takes one."""
    if not is_host(operand.device) or operand.rank0 in (False, Presumed.DIMENSIONS):
        return False
    given = argument(operator, operand)
    if given is None:
        return operator.rule is DeviceRule.SAME_OR_0_DIM_HOST
    return operator.takes_zero_dim_host(given)


def _is_receiver(operator: Operator, operand: Operand) -> bool:
    given = argument(operator, operand)
    return given is not None and bool(operator.arguments) and given is operator.arguments[0]


def _is_index(operator: Operator, operand: Operand) -> bool:
    given = argument(operator, operand)
    return given is not None and (given.index or given.name in _INDEX_NAMES)
