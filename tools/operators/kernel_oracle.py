"""Asks a CUDA build of torch about its kernels: which operands of each ATen overload may be on the host.

    python -m tools.operators.kernel_oracle > tools/operators/measured_kernels.tsv

It runs the operator database and some programs on the device, under a dispatch mode. For the kernel calls it
sees, and every tensor operand of them, it makes the call again with that one on the host, as it is and as a
0-dim tensor. It needs the CUDA build on a driver that does nothing: values are not computed.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from tools.operators.apart import answers
from tools.operators.reach import subjects
from tools.operators.refusals import MEANINGS, ON_HOST, OTHER, REFUSED, outcome
from tools.operators.samples import Inputs, Slot, at, changed, slots

_SECONDS = 300
_ALIKE = 2
"""How many calls with operands of the same ranks a kernel is asked about, for one entry of the database."""
_CRASHES = frozenset({"aten::_log_softmax_backward_data", "aten::_softmax_backward_data"})
"""Kernels that end the process when operands of different ranks are given, wherever they lie."""
_RESULTS = "*"
"""Stands for the results of the calls with all operands on the device."""
_GIVEN = ("host", "0", "device")
_HEADER = """\
# torch {torch}, {device}: a driver that does nothing. No evidence from a GPU.
# Written by `python -m tools.operators.kernel_oracle`.
# Columns: overload, number of calls asked about, argument=letters/letters/letters, texts behind the letter O.
# The letters are those seen with the argument on the host, as a 0-dim tensor on the host, and on the device
# where torch gives it on the host. `*` is the call as torch makes it.
{letters}
"""


class Asking(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Makes every kernel call as it comes, and, apart from that, with each operand on the host."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.letters: Counter[tuple[str, str, str, str]] = Counter()
        """By overload, argument, how the operand was given, and letter."""
        self.texts: set[tuple[str, str]] = set()
        self._alike: Counter[tuple[Any, ...]] = Counter()

    def __torch_dispatch__(self, func: Any, _: Any, args: Any = (), kwargs: Any = None) -> Any:
        inputs = (tuple(args), kwargs or {})
        operands = slots(inputs)
        ranks = (func.name(), *((slot, at(inputs, slot).dim()) for slot in operands))
        has_empty = any(
            not at(inputs, slot).numel() for slot in operands
        )  # with nothing to do, less is checked
        self._alike[ranks] += not has_empty
        if self._alike[ranks] <= _ALIKE and not has_empty:
            self._ask(func, inputs, operands)
        return func(*inputs[0], **inputs[1])

    def _ask(self, func: Any, inputs: Inputs, operands: list[Slot]) -> None:
        baseline, _ = outcome(_call(func, inputs, {}))
        if baseline in (*REFUSED, ON_HOST):
            return
        self.letters[func.name(), _RESULTS, "", baseline] += 1
        for slot in operands if len(operands) > 1 else ():
            operand = at(inputs, slot)
            if not operand.is_cuda:
                self._note(func, slot, "device", _call(func, inputs, {slot: operand.cuda()}))
                continue
            if operand.dim():
                self._note(func, slot, "host", _call(func, inputs, {slot: operand.cpu()}))
            if func.name() not in _CRASHES and operand.layout is torch.strided and not operand.is_nested:
                self._ask_zero_dim(func, inputs, slot)

    def _ask_zero_dim(self, func: Any, inputs: Inputs, slot: Slot) -> None:
        """Only where a 0-dim tensor on the device does as well."""
        operand = at(inputs, slot)
        zero_dim = operand.reshape(-1)[0] if operand.numel() else operand.new_zeros(())
        control, _ = outcome(_call(func, inputs, {slot: zero_dim}))
        if control not in REFUSED:
            self._note(func, slot, "0", _call(func, inputs, {slot: zero_dim.cpu()}))

    def _note(self, func: Any, slot: Slot, given: str, call: Callable[[], Any]) -> None:
        letter, text = outcome(call)
        self.letters[func.name(), _argument(func, slot), given, letter] += 1
        if letter == OTHER:
            self.texts.add((func.name(), text))


def main() -> None:
    """Prints one line for each overload that the database reaches."""
    parser = argparse.ArgumentParser(prog="python -m tools.operators.kernel_oracle", description=__doc__)
    parser.add_argument("--only", default="", help="run this alone")
    only = parser.parse_args().only
    letters: Counter[tuple[str, str, str, str]] = Counter()
    texts: dict[str, set[str]] = {}
    for name, answer in answers(_asked, [only] if only else subjects(), _SECONDS):
        if answer is None:
            sys.stderr.write(f"{name}: crashed, or took longer than {_SECONDS} s\n")
            continue
        seen, said = json.loads(answer)
        for key, count in seen:
            letters[tuple(key)] += count
        for kernel, text in said:
            texts.setdefault(kernel, set()).add(text)
    sys.stdout.write(_header())
    for line in _lines(letters, texts):
        sys.stdout.write(line + "\n")


def _asked(name: str) -> str:
    """What all kernels that one operator of the database reaches were seen to do, as JSON."""
    warnings.simplefilter("ignore")
    asking = Asking()
    for with_cudnn in (
        True,
        False,
    ):  # without it there are other kernels, and it refuses some convolutions here
        for run in subjects()[name]("cuda"):
            with torch.backends.cudnn.flags(enabled=with_cudnn), suppress(Exception), asking:
                run()
    return json.dumps([list(asking.letters.items()), sorted(asking.texts)])


def _call(func: Any, inputs: Inputs, instead: dict[Slot, torch.Tensor]) -> Callable[[], Any]:
    """The call with fresh operands, each where it is, but for those given instead."""

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


def _lines(letters: Counter[tuple[str, str, str, str]], texts: dict[str, set[str]]) -> Iterator[str]:
    by_kernel: dict[str, dict[str, dict[str, set[str]]]] = {}
    calls: Counter[str] = Counter()
    for (kernel, argument, given, letter), count in letters.items():
        by_kernel.setdefault(kernel, {}).setdefault(argument, {}).setdefault(given, set()).add(letter)
        calls[kernel] += count if argument == _RESULTS else 0
    for kernel in sorted(by_kernel):
        cells = [f"{_RESULTS}={_joined(by_kernel[kernel].pop(_RESULTS)[''])}"]
        cells += [
            f"{argument}={'/'.join(_joined(given.get(how, set())) for how in _GIVEN)}"
            for argument, given in sorted(by_kernel[kernel].items())
        ]
        yield "\t".join(
            (kernel, str(calls[kernel]), " ".join(cells), " | ".join(sorted(texts.get(kernel, ()))))
        )


def _joined(letters: set[str]) -> str:
    return "".join(sorted(letters)) or "-"


if __name__ == "__main__":
    main()
