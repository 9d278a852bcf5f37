"""Records from a CUDA build of torch which operands of each ATen overload may be on the host.

    python -m tools.operators.kernel_oracle > tools/operators/measured_kernels.tsv

It runs the operator database and some programs on the device, under a dispatch mode. For the kernel calls it
sees, and every tensor operand of them, it makes the call again with that one on the host, and on a second
device, as it is and as a 0-dim tensor. It needs the CUDA build on a driver that does nothing: values are not
computed.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from tools.operators.isolated import answers
from tools.operators.reach import subjects
from tools.operators.refusals import MEANINGS, OTHER, REFUSED, is_about_devices, outcome
from tools.operators.samples import Inputs, Slot, at, changed, slots
from tools.operators.waits import waits

_SECONDS = 300
_ALIKE = 2
"""The limit of repeated calls with operands of the same ranks, by kernel and entry of the database."""
_CRASHES = frozenset({"aten::_log_softmax_backward_data", "aten::_softmax_backward_data"})
"""Kernels that crash the process for operands of different ranks, on any device."""
_OTHER = "cuda:1"
_RESULTS = "*"
"""Stands for the results of the calls with all operands on the device."""
_WAITED = "waited"
_PLACEMENTS = ("host", "0 on host", "other", "0 on other", "device")
_HEADER = """\
# torch {torch}, {device}: a driver that does nothing. No evidence from a GPU.
# Written by `python -m tools.operators.kernel_oracle`.
# Columns: overload, number of calls, how many waited, argument=letters/..., the texts behind the letter O.
# Letters are those seen with the argument on the host; as a 0-dim tensor on the host; on a second device; as
# a 0-dim tensor there; on the device, where torch gives it on the host. `*` is the call as torch makes it.
{letters}
"""


class Seen(NamedTuple):
    """The outcome of one call."""

    kernel: str
    argument: str
    placement: str
    """The placement of the operand, one of `_PLACEMENTS`; for the results, whether the host waited."""
    letter: str
    empty: bool
    """Whether some operand had no elements: kernels check less for empty operands."""


class Asking(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Executes every kernel call, and repeats it with each operand on another device."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.seen: Counter[Seen] = Counter()
        self.texts: set[tuple[str, str]] = set()
        self._alike: Counter[tuple[Any, ...]] = Counter()

    def __torch_dispatch__(self, func: Any, _: Any, args: Any = (), kwargs: Any = None) -> Any:
        inputs = (tuple(args), kwargs or {})
        operands = {slot: at(inputs, slot) for slot in slots(inputs)}
        shape = tuple((slot, operand.dim(), not operand.numel()) for slot, operand in operands.items())
        self._alike[func.name(), shape] += 1
        on_device = any(operand.is_cuda for operand in operands.values()) or not operands
        if on_device and self._alike[func.name(), shape] <= _ALIKE:
            self._ask(func, inputs, operands)
        return func(*inputs[0], **inputs[1])

    def _ask(self, func: Any, inputs: Inputs, operands: dict[Slot, torch.Tensor]) -> None:
        call, before = _call(func, inputs, {}), waits()
        baseline, _ = outcome(call)
        if baseline in REFUSED:
            return
        waited = waits() > before
        empty = not all(operand.numel() for operand in operands.values())
        self.seen[Seen(func.name(), _RESULTS, _WAITED if waited else "", baseline, empty)] += 1
        for slot, operand in operands.items() if len(operands) > 1 else ():
            for placement, instead in _misplaced(func, inputs, slot, operand):
                letter, text = outcome(_call(func, inputs, {slot: instead}))
                if letter == OTHER and not is_about_devices(text):
                    continue
                self.seen[Seen(func.name(), _argument(func, slot), placement, letter, empty)] += 1
                if letter == OTHER:
                    self.texts.add((func.name(), text))


def main() -> None:
    """Prints one line for each overload that the database reaches."""
    parser = argparse.ArgumentParser(prog="python -m tools.operators.kernel_oracle", description=__doc__)
    parser.add_argument("--only", default="", help="run this alone")
    only = parser.parse_args().only
    seen: Counter[Seen] = Counter()
    texts: dict[str, set[str]] = {}
    for name, answer in answers(_asked, [only] if only else subjects(), _SECONDS):
        if answer is None:
            sys.stderr.write(f"{name}: crashed, or took longer than {_SECONDS} s\n")
            continue
        counted, said = json.loads(answer)
        for fields, count in counted:
            seen[Seen(*fields)] += count
        for kernel, text in said:
            texts.setdefault(kernel, set()).add(text)
    sys.stdout.write(_header())
    for kernel in sorted({each.kernel for each in seen if each.kernel.startswith("aten::")}):
        sys.stdout.write(_line(kernel, seen, sorted(texts.get(kernel, ()))))


def _asked(name: str) -> str:
    """The record of all kernels that one operator or program calls, as JSON."""
    warnings.simplefilter("ignore")
    asking = Asking()
    for with_cudnn in (
        True,
        False,
    ):  # cuDNN rejects some convolutions, and has its own kernels
        for run in subjects()[name]("cuda"):
            with torch.backends.cudnn.flags(enabled=with_cudnn), suppress(Exception), asking:
                run()
    return json.dumps([list(asking.seen.items()), sorted(asking.texts)])


def _misplaced(
    func: Any, inputs: Inputs, slot: Slot, operand: torch.Tensor
) -> Iterator[tuple[str, torch.Tensor]]:
    """Copies of an operand on other devices; of an operand on the host, a copy on the device."""
    if not operand.is_cuda:
        yield "device", operand.cuda()
        return
    if operand.dim():
        yield "host", operand.cpu()
        yield "other", operand.to(_OTHER)
    if func.name() not in _CRASHES and operand.layout is torch.strided and not operand.is_nested:
        zero_dim = operand.reshape(-1)[0] if operand.numel() else operand.new_zeros(())
        control, _ = outcome(_call(func, inputs, {slot: zero_dim}))
        if control not in REFUSED:
            yield "0 on host", zero_dim.cpu()
            yield "0 on other", zero_dim.to(_OTHER)


def _call(func: Any, inputs: Inputs, instead: dict[Slot, torch.Tensor]) -> Callable[[], Any]:
    """The call with copies of its operands on their devices, except the replaced ones."""

    def fresh(tensor: torch.Tensor, slot: Slot) -> torch.Tensor:
        return instead.get(slot, tensor).detach().clone()

    args, kwargs = changed(inputs, fresh)
    return lambda: func(*args, **kwargs)


def _argument(func: Any, slot: Slot) -> str:
    key = slot[0]
    return key if isinstance(key, str) else str(func._schema.arguments[key].name)


def _header() -> str:
    meanings = "\n".join(f"#   {letter}  {meaning}" for letter, meaning in MEANINGS.items())
    return _HEADER.format(torch=torch.__version__, device=torch.cuda.get_device_name(), letters=meanings)


def _line(kernel: str, seen: Counter[Seen], texts: list[str]) -> str:
    """The record of one kernel; calls with empty operands count only if there are no others."""
    of_kernel = [each for each in seen if each.kernel == kernel]
    telling = [each for each in of_kernel if not each.empty] or of_kernel
    calls = [each for each in telling if each.argument == _RESULTS]
    waited = sum(seen[each] for each in calls if each.placement == _WAITED)
    cells = [
        f"{argument}={'/'.join(_letters(telling, argument, placement) for placement in _PLACEMENTS)}"
        for argument in sorted({each.argument for each in telling} - {_RESULTS})
    ]
    cells.insert(0, f"{_RESULTS}={''.join(sorted({each.letter for each in calls}))}")
    counts = (str(sum(seen[each] for each in calls)), str(waited))
    return "\t".join((kernel, *counts, " ".join(cells), " | ".join(texts))) + "\n"


def _letters(seen: list[Seen], argument: str, placement: str) -> str:
    letters = {each.letter for each in seen if (each.argument, each.placement) == (argument, placement)}
    return "".join(sorted(letters)) or "-"


if __name__ == "__main__":
    main()
