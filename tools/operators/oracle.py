"""Records from a CUDA build of torch which operands may be on the host, and which calls wait.

    python -m tools.operators.oracle > tools/operators/measured.tsv

It calls the operators of `torch.testing`'s operator database with sample inputs, once as they are on the
device, and once for every tensor operand with that one left on the host, as it is and as a 0-dim tensor. A
0-dim host operand counts as accepted only where a 0-dim device operand in its place works. It needs the CUDA
build of torch on a driver that does nothing and counts waits: only checks, copies and waits are looked at.
A crash of the process loses one operator: run it again with `--after NAME`, NAME being the last one printed.
"""

from __future__ import annotations

import argparse
import signal
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import torch
from torch.testing._internal.opinfo.core import OpInfo, SampleInput

from tools.operators.database import Function, operators, samples
from tools.operators.samples import Inputs, Slot, at, changed, slots
from tools.operators.waits import waits

_SECONDS = 20
_DTYPES = (torch.float32, torch.int64, torch.bool, torch.complex64)


@dataclass(slots=True)
class Verdicts:
    """The record of one operator."""

    samples: int = 0
    waits: int = 0
    host: dict[str, Counter[str]] = field(default_factory=dict)
    """For each operand, how often it was refused or taken on the host while the others were on the device."""
    zero_dim_host: dict[str, Counter[str]] = field(default_factory=dict)
    """The same as a 0-dim host tensor."""
    waits_for_zero_dim_host: set[str] = field(default_factory=set)


def main() -> None:
    """Prints one line for each operator: name, samples, how many waited, verdicts by operand."""
    parser = argparse.ArgumentParser(prog="python -m tools.operators.oracle", description=__doc__)
    parser.add_argument("--after", default="", help="go on after this operator of an interrupted run")
    parser.add_argument("--only", default="", help="ask about this operator alone")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, _too_long)
    reached = not arguments.after
    if reached and not arguments.only:
        sys.stdout.write(f"# torch {torch.__version__}, {torch.cuda.get_device_name()}\n")
    for name, call, info in operators():
        if not reached or (arguments.only and name != arguments.only):
            reached = reached or name == arguments.after
            continue
        sys.stderr.write(f"{name}\n")
        verdicts = _ask(call, info)
        if verdicts.samples:
            sys.stdout.write(_line(name, verdicts) + "\n")
            sys.stdout.flush()


def _too_long(*_: object) -> None:
    raise TimeoutError


def _ask(call: Function, info: OpInfo) -> Verdicts:
    verdicts = Verdicts()
    signal.alarm(_SECONDS)
    try:
        for sample in _samples(info):
            _ask_sample(call, sample, verdicts)
    except TimeoutError:
        sys.stderr.write(f"{_SECONDS} s were up after {verdicts.samples} samples\n")
    finally:
        signal.alarm(0)
    return verdicts


def _samples(info: OpInfo) -> Iterator[SampleInput]:
    """The samples of the first dtype that the operator supports."""
    made = (samples(info, dtype, "cuda") for dtype in _DTYPES)
    return next((chain([first], rest) for rest in made if (first := next(rest, None))), iter(()))


def _ask_sample(call: Function, sample: SampleInput, verdicts: Verdicts) -> None:
    inputs = (sample.input, *sample.args), sample.kwargs
    error, waited = _call(call, *_on_device(inputs))
    if error:
        return
    verdicts.samples += 1
    verdicts.waits += waited
    listed = slots(inputs)
    if len(listed) < 2:
        return
    for slot in listed:
        operand = at(inputs, slot)
        if operand.layout is not torch.strided or operand.is_nested:
            continue
        _try_host(call, inputs, slot, operand, verdicts)


def _try_host(call: Function, inputs: Inputs, slot: Slot, operand: torch.Tensor, verdicts: Verdicts) -> None:
    name = str(slot[0])
    if operand.dim():
        error, _ = _call(call, *_on_device(inputs, {slot: operand.clone()}))
        verdicts.host.setdefault(name, Counter())["refused" if error else "taken"] += 1
    zero_dim = operand.reshape(-1)[:1].sum().to(operand.dtype) if operand.numel() else operand.new_zeros(())
    control, waited = _call(call, *_on_device(inputs, {slot: zero_dim.to("cuda")}))
    if control:
        return
    error, waits_for_host = _call(call, *_on_device(inputs, {slot: zero_dim}))
    verdicts.zero_dim_host.setdefault(name, Counter())["refused" if error else "taken"] += 1
    if waits_for_host and not waited:
        verdicts.waits_for_zero_dim_host.add(name)


def _call(call: Function, args: Any, kwargs: Any) -> tuple[bool, bool]:
    """Whether the call raised, and whether the host waited."""
    before = waits()
    try:
        call(*args, **kwargs)
    except TimeoutError:
        raise
    except Exception:  # any error of an operator is a result
        return True, False
    return False, waits() > before


def _on_device(inputs: Inputs, instead: dict[Slot, torch.Tensor] | None = None) -> Inputs:
    """Copies of the operands on the device, except the replaced ones."""
    replacements = instead or {}
    return changed(
        inputs,
        lambda tensor, slot: (
            replacements[slot] if slot in replacements else tensor.detach().clone().to("cuda")
        ),
    )


def _line(name: str, verdicts: Verdicts) -> str:
    operands = sorted({*verdicts.host, *verdicts.zero_dim_host})
    cells = [
        f"{operand}={_verdict(verdicts.host.get(operand))}/{_verdict(verdicts.zero_dim_host.get(operand))}"
        + ("/waits" if operand in verdicts.waits_for_zero_dim_host else "")
        for operand in operands
    ]
    return "\t".join((name, str(verdicts.samples), str(verdicts.waits), " ".join(cells)))


def _verdict(counter: Counter[str] | None) -> str:
    """`refused`, `taken`, `both`, or `-` if it was not tested."""
    if not counter:
        return "-"
    return "both" if len(counter) > 1 else next(iter(counter))


if __name__ == "__main__":
    main()
