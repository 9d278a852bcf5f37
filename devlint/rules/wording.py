"""The wording of findings: operands, devices, operators and histories, the same in every family.

Code is in backticks. Devices are written as in torch; a symbolic device is written as its name. No message
ends in a period, as in Ruff.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from devlint.model import UNKNOWN, Kind, Note, Operand, Operation, Step, Symbol, SymbolKind
from devlint.model.origin import OriginStep
from devlint.operators import MODULE_CALL
from devlint.rules.operand_text import is_path

MAX_MESSAGE = 100
"""The most characters of a message."""
MAX_CODE = 48
"""Longer code is cut in a message; the frame shows all of it."""
MAX_LINES = 8
"""The most lines that a note lists."""
_LEGIBLE = 12
"""Code of a message is not cut to fewer characters."""

_SPELLED = {
    "__getitem__": "indexing",
    "__setitem__": "assignment to an index",
    "__contains__": "`in`",
    "__len__": "`len`",
}
"""Operators that are better described than named."""

_FUNCTIONS = {
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "invert": "bitwise_not",
    "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
    "truediv": "div",
    "floordiv": "floor_divide",
    "mod": "remainder",
}
"""Python's names of operators, if torch's function has another."""

_ARITHMETIC = ("add", "sub", "mul", "div", "truediv", "floordiv", "mod", "pow", "matmul")
_BITWISE = ("and", "or", "xor", "lshift", "rshift")
_REFLECTED = frozenset(f"r{name}" for name in _ARITHMETIC + _BITWISE)
_IN_PLACE = frozenset(f"i{name}" for name in _ARITHMETIC + _BITWISE)


def code(text: str) -> str:
    """Code in a message: on one line, cut if it is long."""
    line = " ".join(text.split())
    return f"`{line}`" if len(line) <= MAX_CODE else f"`{line[: MAX_CODE - 1].rstrip()}…`"


def fitted(message: str) -> str:
    """A message of at most `MAX_MESSAGE` characters, as far as the code in it can be cut.

    First `torch.add` becomes `add`, then the longest code is cut, again and again.
    """
    if len(message) <= MAX_MESSAGE:
        return message
    parts = message.split("`")
    codes = range(1, len(parts), 2)
    for at in codes:
        if parts[at].startswith("torch.") and is_path(parts[at]):
            parts[at] = parts[at].rpartition(".")[2]
    while codes and len("`".join(parts)) > MAX_MESSAGE:
        longest = max(codes, key=lambda at: len(parts[at]))
        if len(parts[longest]) <= _LEGIBLE:
            break
        parts[longest] = f"{parts[longest].removesuffix('…')[:-1]}…"
    return "`".join(parts)


def named(operand: Operand) -> str:
    """The name of an operand. For a module, its parameters are named, because it has no device of its own."""
    return f"the parameters of {code(operand.path)}" if operand.kind is Kind.MODULE else code(operand.path)


def place(operand: Operand) -> str:
    """The device of an operand, without repeating the operand's name."""
    device = operand.device
    if isinstance(device, Symbol) and device.name == operand.path and device.kind is not SymbolKind.DEVICE:
        return "the caller's device"
    return str(device)


def whereabouts(operands: Iterable[Operand]) -> str:
    """`x` on cuda:0, `self.mask` on cpu."""
    return ", ".join(f"{named(operand)} on {place(operand)}" for operand in operands)


def is_on(operand: Operand) -> str:
    """`x` is on cuda:0."""
    return f"{named(operand)} {'are' if operand.kind is Kind.MODULE else 'is'} on {place(operand)}"


def clash(event: Operation, operands: Sequence[Operand]) -> str:
    """`x` is on cuda:0, but `y` is on cpu in `torch.add`: one operand for each device."""
    by_device = {place(operand): operand for operand in reversed(operands)}
    first, *others = (is_on(each) for each in operands if by_device[place(each)] is each)
    return f"{first}, but {' and '.join(others)}{during(event)}"


def operator(name: str) -> str:
    """An operator as users know it: `x + y` is `torch.add`, `x += y` is `torch.Tensor.add_`."""
    head, _, last = name.rpartition(".")
    if not (last.startswith("__") and last.endswith("__")):
        return f"`{name}`"
    if name == MODULE_CALL:
        return "a module call"
    if last in _SPELLED:
        return _SPELLED[last]
    bare = last[2:-2]
    if bare in _IN_PLACE:
        return code(f"torch.Tensor.{_FUNCTIONS.get(bare[1:], bare[1:])}_")
    if bare in _REFLECTED:
        bare = bare[1:]
    return code(f"torch.{_FUNCTIONS.get(bare, bare)}") if head == "torch.Tensor" else code(name)


def operation(event: Operation) -> str:
    """The operator of an event, and the function of another file in which it is."""
    return operator(event.operator) + (f" in {code(event.within)}" if event.within else "")


def during(event: Operation) -> str:
    """` in torch.add`; empty for the call of a module, which is an operand itself."""
    return "" if event.operator == MODULE_CALL else f" in {operation(event)}"


def affected(lines: Sequence[int], others: int) -> str:
    """The note at a line that has the same cause as a finding, and no note of its own.

    `lines` are further ones in its file, and `others` is the number of lines in other files.
    """
    listed = [str(line) for line in lines[:MAX_LINES]]
    if len(lines) > MAX_LINES:
        listed.append(f"{len(lines) - MAX_LINES} more")
    parts = ["the same cause affects this line"]
    if listed:
        parts.append(f"line{'s' if len(lines) > 1 else ''} {_enumerated(listed)}")
    if others:
        parts.append(f"{others} line{'s' if others > 1 else ''} in other files")
    return ", and ".join(parts)


def _enumerated(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def labels(operands: Iterable[Operand]) -> tuple[Note, ...]:
    """Each operand marked with its device, in the frame of the primary site."""
    return tuple(Note(operand.site, place(operand), label=True) for operand in operands)


def histories(operands: Sequence[Operand]) -> tuple[Note, ...]:
    """Where the operands got their devices, in the order of the operands."""
    return tuple(dict.fromkeys(note for operand in operands for note in history(operand)))


def history(operand: Operand) -> tuple[Note, ...]:
    """Where an operand got its device: the step that decided it, and the last place where it was stored
    since."""
    steps = operand.origin.steps
    decided = next(
        (at for at in reversed(range(len(steps))) if steps[at].step in _DECISIVE),
        None,
    )
    if decided is None:
        return ()
    kept = [step for step in steps[decided + 1 :] if step.step is Step.ATTRIBUTE]
    return tuple(Note(step.site, _happened(operand, step)) for step in (steps[decided], *kept[-1:]))


_DECISIVE = frozenset({Step.MADE, Step.MOVED, Step.PARAMETER})


def _happened(operand: Operand, step: OriginStep) -> str:
    who = named(operand)
    if operand.origin.is_derived:
        who = f"what {who} is computed from"
    were = "were" if operand.kind is Kind.MODULE else "was"
    match step.step:
        case Step.MADE if step.implicit:
            return f"{who} {were} created on {step.device} here, without `device=`"
        case Step.MADE if step.device == UNKNOWN:
            return f"{who} {were} created here"
        case Step.MADE:
            return f"{who} {were} created on {step.device} here"
        case Step.MOVED:
            return f"{who} {were} moved to {step.device} here"
        case Step.PARAMETER:
            return f"{who} was passed in here, as parameter {code(step.operator)}"
        case Step.ATTRIBUTE:
            return f"{who} {were} stored as {code('self.' + step.operator.removeprefix('self.'))} here"
        case Step.DERIVED:
            return f"{who} {were} computed here"
