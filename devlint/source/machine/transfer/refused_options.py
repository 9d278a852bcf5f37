"""Options whose defaults a program rejects, so that users set them."""

from __future__ import annotations

from devlint.source import ir
from devlint.source.machine.domain.option_values import GivenText, OmittedOption, Option
from devlint.source.machine.domain.values import Reference, Scalar, Value
from devlint.source.machine.heap.frames import Frame
from devlint.source.machine.heap.objects import Instance
from devlint.source.machine.library.parsers import NAMESPACE
from devlint.source.machine.operators.accelerator import SEVERAL_DEVICES
from devlint.source.machine.transfer.branches import ends_in_error
from devlint.source.machine.transfer.cells import cell
from devlint.source.machine.transfer.interpreter import Interpreter
from devlint.source.walk import walk

_FROM_OPTIONS = (GivenText, OmittedOption, Option)
"""The values of options."""


def is_refused(machine: Interpreter, node: ir.If, test: Value, frame: Frame, *, truth: bool) -> bool:
    """Whether a test of options ends in an error for their defaults: `if args.data is None: raise …`. So does
    a test of the number of devices in a program for several: `if torch.cuda.device_count() < 2: raise …`."""
    block = node.then if truth else node.orelse
    asks_for_several = isinstance(test, Scalar) and test.flag.removeprefix("not ") == SEVERAL_DEVICES
    counts_devices = asks_for_several and not machine.world.get(SEVERAL_DEVICES)
    if counts_devices and block and isinstance(block[-1], ir.Return):
        machine.ask(SEVERAL_DEVICES)  # all that follows depends on the flag
    refused = (
        not machine.execution.hypothesis
        and ends_in_error(machine, block, frame)
        and (counts_devices or any(_is_option(machine, each, frame) for each in walk((node.test,))))
    )
    if refused and isinstance(test, Scalar) and test.flag:
        _give(machine, test.flag, on=not truth)
    return refused


def _is_option(machine: Interpreter, node: object, frame: Frame) -> bool:
    """Whether an expression reads the result of `parse_args`, or what was taken from it: `Trainer(args.kind)`
    tests its parameter."""
    if isinstance(node, (ir.Name, ir.Attribute)) and isinstance(_kept(machine, node, frame), _FROM_OPTIONS):
        return True
    if not isinstance(node, ir.Attribute) or not isinstance(node.value, (ir.Name, ir.Attribute)):
        return False
    owner = machine.evaluate(node.value, frame)
    held = owner.target if isinstance(owner, Reference) else None
    return isinstance(held, Instance) and held.of == NAMESPACE


def _kept(machine: Interpreter, place: ir.Name | ir.Attribute, frame: Frame) -> Value | None:
    """The value of a name or an attribute that a cell holds."""
    found = cell(machine, place, frame)
    return None if found is None else found[0].cells.get(found[1])


def _give(machine: Interpreter, flag: str, *, on: bool) -> None:
    """Continue with a switch inverted."""
    name = flag.removeprefix("not ")
    machine.world[name] = on if name == flag else not on
