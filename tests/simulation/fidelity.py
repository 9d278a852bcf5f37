"""How faithful simulated devices are, over torch's operator database.

    python -m tests.simulation.fidelity [--other-device cuda:1] [operator ...]

Each call is made with all operands on the simulated device, and has to give the CPU's values, bit for bit;
and again with one operand after the other left on the host, or put on a second device. It has to end as it
ends on torch's CUDA build: raise or not, and have its results where they are there. What that build does is
recorded in `op_db_verdicts.tsv` and `op_db_verdicts_of_two.tsv`.
"""

from __future__ import annotations

import argparse
import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.testing._internal.opinfo.core import OpInfo
from torch.utils._pytree import tree_leaves

from devlint.simulation import Simulation
from tools.operators.refusals import ABSENT, REFUSED, UNTESTED, outcome
from tools.operators.samples import Inputs, Slot, entries, fingerprint, inputs_of, placed, seed, slots

HOST, SECOND_DEVICE = "cpu", "cuda:1"
_VERDICTS = {HOST: "op_db_verdicts.tsv", SECOND_DEVICE: "op_db_verdicts_of_two.tsv"}
"""By where the one operand is."""
ALL_ON_DEVICE = "*"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The end of one call, on torch's CUDA build and under simulation, in the letters of
    `tools.operators`."""

    operator: str
    operand: str
    """The one that is elsewhere, or `*`."""
    call: int
    cuda: str
    simulated: str
    text: str
    """The error under simulation."""
    same_values: bool = True

    @property
    def agrees(self) -> bool:
        """Whether it raises where CUDA raises, and has results where CUDA has them."""
        if self.cuda in REFUSED or self.simulated in REFUSED:
            return self.cuda in REFUSED and self.simulated in REFUSED
        return self.cuda == self.simulated

    @property
    def same_kind(self) -> bool:
        """Whether it ends in the same way, the kind of error included."""
        return self.cuda == self.simulated


@dataclass(frozen=True, slots=True)
class Record:
    """The behavior of torch's CUDA build for the calls of one operator."""

    fingerprint: str
    letters: dict[str, str]
    """By operand, a letter for each call."""


def recorded(other_device: str = HOST) -> dict[str, Record]:
    """By operator."""
    found = {}
    path = Path(__file__).parent / _VERDICTS[other_device]
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            name, calls, cells, _ = line.split("\t")
            found[name] = Record(calls, dict(cell.split("=") for cell in cells.split(" ") if cell))
    return found


UNINITIALIZED = {"empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided"}
"""Operators whose values are whatever the memory holds."""


def verdicts(names: Iterable[str], other_devices: Sequence[str] = (HOST,)) -> Iterator[Verdict]:
    """All verdicts on some operators; none on one that this torch lacks, or calls otherwise than recorded.

    Calls with all operands on the device are the same for every other device, and are made once.
    """
    known = [(device, recorded(device)) for device in other_devices]
    infos = entries()
    for name in names:
        if name not in infos:
            continue
        calls = inputs_of(infos[name])
        called = fingerprint(calls)
        for at, (device, records) in enumerate(known):
            if called == records[name].fingerprint:
                if not at:
                    yield from _on_device(infos[name], calls, records[name], device)
                yield from _apart(infos[name], calls, records[name], device)


def _on_device(info: OpInfo, calls: Sequence[Inputs], record: Record, other_device: str) -> Iterator[Verdict]:
    """The verdicts on calls with all operands on the device, whose values are those of the CPU."""
    name, letters = _name(info), record.letters.get(ALL_ON_DEVICE, UNTESTED * len(calls))
    on_host = [
        None if cuda in (UNTESTED, ABSENT) else _values(info, call)
        for cuda, call in zip(letters, calls, strict=True)
    ]
    asked = [(call, None) for call, values in zip(calls, on_host, strict=True) if values is not None]
    ends = iter(_simulated(info, asked, other_device))
    for place, (cuda, expected) in enumerate(zip(letters, on_host, strict=True)):
        if expected is not None:
            letter, text, values = next(ends)
            same = letter in REFUSED or name in UNINITIALIZED or _same(expected, values)
            yield Verdict(name, ALL_ON_DEVICE, place, cuda, letter, text, same)


def _apart(info: OpInfo, calls: Sequence[Inputs], record: Record, other_device: str) -> Iterator[Verdict]:
    """The verdicts on calls with each operand on the other device."""
    asked = [
        (place, operand, cuda, slot)
        for place, call in enumerate(calls)
        for slot in slots(call)
        if (operand := ".".join(map(str, slot))) in record.letters
        and (cuda := record.letters[operand][place]) not in (UNTESTED, ABSENT)
    ]
    ends = _simulated(info, [(calls[place], slot) for place, _, _, slot in asked], other_device)
    for (place, operand, cuda, _), (letter, text, _) in zip(asked, ends, strict=True):
        yield Verdict(_name(info), operand, place, cuda, letter, text, True)


def _name(info: OpInfo) -> str:
    return ":".join(filter(None, (info.name, info.variant_test_name)))


def _values(info: OpInfo, call: Inputs) -> list[Any] | None:
    """The results on the CPU; None where it raises."""
    args, kwargs = placed(call, lambda tensor: tensor)
    seed()
    try:
        return _plain(info.op(*args, **kwargs))
    except Exception:
        return None


def _simulated(
    info: OpInfo, calls: Sequence[tuple[Inputs, Slot | None]], other_device: str
) -> list[tuple[str, str, list[Any]]]:
    """The ends of calls on simulated devices, each with the operand that stays on the other device: a letter,
    the error, and the values."""
    with Simulation("cuda", 2):
        return [_ended(info, call, stays, other_device) for call, stays in calls]


def _ended(info: OpInfo, call: Inputs, stays: Slot | None, other_device: str) -> tuple[str, str, list[Any]]:
    values: list[Any] = []

    def run() -> Any:
        results = info.op(*args, **kwargs)
        values.extend(_plain(results))
        return results

    args, kwargs = placed(call, lambda tensor: tensor.to("cuda"), stays, other_device)
    seed()
    letter, text = outcome(run, other_device)
    return letter, text, values


def _plain(results: Any) -> list[Any]:
    """Results as values that can be compared after the simulation."""
    return [
        leaf.detach().clone() if isinstance(leaf, torch.Tensor) else leaf for leaf in tree_leaves(results)
    ]


def _same(one: list[Any] | None, other: list[Any]) -> bool:
    if one is None or len(one) != len(other):
        return False
    return all(map(equal, one, other))


def equal(one: Any, other: Any) -> bool:
    """Whether two results are the same to the last bit."""
    if not isinstance(one, torch.Tensor) or not isinstance(other, torch.Tensor):
        return bool(one == other) or (math.isnan(one) and math.isnan(other))
    if one.layout is not torch.strided:
        one, other = one.to_dense(), other.to_dense()
    return one.dtype is other.dtype and one.shape == other.shape and torch.equal(_bits(one), _bits(other))


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    plain = torch.empty(tensor.numel(), dtype=tensor.dtype)
    return plain.copy_(tensor.reshape(-1)).view(torch.uint8)


def report(found: list[Verdict]) -> Iterator[str]:
    """The lines that say how faithful the simulation is: each disagreement, and the figures."""
    agreeing = 0
    for verdict in found:
        if verdict.agrees and verdict.same_values:
            agreeing += 1
            continue
        values = "" if verdict.same_values else ", other values"
        ends = f"CUDA {verdict.cuda}, simulated {verdict.simulated}{values}"
        yield f"{verdict.operator} {verdict.operand} #{verdict.call}: {ends}  {verdict.text}"
    kinds = sum(verdict.same_kind for verdict in found)
    yield f"{len({verdict.operator for verdict in found})} operators, {len(found)} verdicts"
    yield f"as CUDA, with the CPU's values: {agreeing} ({agreeing / len(found):.2%})"
    yield f"... and with the same kind of error: {kinds} ({kinds / len(found):.2%})"


def main() -> None:
    """Prints the report."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation.fidelity", description=__doc__)
    parser.add_argument("operators", nargs="*", help="only these")
    parser.add_argument("--other-device", default=HOST, choices=_VERDICTS, help="where the one operand is")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    names = arguments.operators or list(recorded())
    found = list(verdicts(names, [arguments.other_device]))
    compared = {verdict.operator for verdict in found}
    for line in report(found):
        print(line)  # noqa: T201 (a command)
    print("not compared:", ", ".join(name for name in names if name not in compared))  # noqa: T201


if __name__ == "__main__":
    main()
