"""Records which calls of the operator database raise on a CUDA build of torch with one operand on the host.

    python -m tools.operators.verdicts > tests/simulation/op_db_verdicts.tsv
    python -m tools.operators.verdicts --other-device cuda:1 > tests/simulation/op_db_verdicts_of_two.tsv

Tests compare the simulation of devices with the record, call by call. It needs the CUDA build of torch on a
driver that does nothing: values are not computed, so a branch on values may go another way than on a GPU.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from functools import partial

import torch
from torch.testing._internal.opinfo.core import OpInfo

from tools.operators.isolated import answers
from tools.operators.refusals import ABSENT, MEANINGS, OTHER, REFUSED, UNTESTED, is_about_devices, outcome
from tools.operators.samples import Inputs, Slot, entries, fingerprint, inputs_of, placed, seed, slots

_SECONDS = 120
_NONE = "*"
"""The operand of calls with all operands on the device."""
_HEADER = """\
# torch {torch}, {device}: a driver that does nothing. No evidence from a GPU.
# How each call of torch.testing's operator database ends: on the device, and with one operand elsewhere.
# Elsewhere, which the letters call the host, is {other_device}.
# Written by `python -m tools.operators.verdicts`; the calls are those of `tools.operators.samples`.
# Columns: operator, fingerprint of its calls, operand=letters ..., the texts behind the letter O.
# A letter for each call, in order. The operand `*` is the call with all operands on the device; others are
# slots, `1` the second positional argument, `weight` a keyword argument, `0.2` the third of a list.
{letters}
"""


def main() -> None:
    """Prints one line for each operator of the database."""
    parser = argparse.ArgumentParser(prog="python -m tools.operators.verdicts", description=__doc__)
    parser.add_argument("--only", default="", help="ask about this operator alone")
    parser.add_argument("--other-device", default="cpu", help="where the one operand is left")
    arguments = parser.parse_args()
    only, other_device = arguments.only, arguments.other_device
    if not only:
        sys.stdout.write(_header(other_device))
    for name, line in answers(
        partial(line_of, other_device=other_device), [only] if only else entries(), _SECONDS
    ):
        sys.stdout.write(line or _untested(name))
        sys.stdout.flush()


def _header(other_device: str) -> str:
    letters = "\n".join(f"#   {letter}  {meaning}" for letter, meaning in MEANINGS.items())
    device = torch.cuda.get_device_name()
    return _HEADER.format(torch=torch.__version__, device=device, other_device=other_device, letters=letters)


def line_of(name: str, other_device: str = "cpu") -> str:
    """All verdicts on one operator, as a line of the file."""
    warnings.simplefilter("ignore")
    info = entries()[name]
    calls = inputs_of(info)
    listed = [_one_call(info, call, other_device) for call in calls]
    operands = dict.fromkeys(operand for letters, _ in listed for operand in letters)
    cells = [
        f"{operand}={''.join(letters.get(operand, ABSENT) for letters, _ in listed)}" for operand in operands
    ]
    texts = sorted({text for _, found in listed for text in found})
    return "\t".join((name, fingerprint(calls), " ".join(cells), " | ".join(texts))) + "\n"


def _untested(name: str) -> str:
    """The line of an operator that crashes the process."""
    calls = inputs_of(entries()[name])
    return f"{name}\t{fingerprint(calls)}\t{_NONE}={UNTESTED * len(calls)}\t\n"


def _one_call(info: OpInfo, call: Inputs, other_device: str) -> tuple[dict[str, str], set[str]]:
    """A letter for each operand of one call, and the texts of unknown errors."""
    with_cudnn = _by_operand(info, call, other_device)
    if with_cudnn[0][_NONE] not in (*REFUSED, UNTESTED):
        return with_cudnn
    with torch.backends.cudnn.flags(enabled=False):  # cuDNN rejects some convolutions on this driver
        return _by_operand(info, call, other_device)


def _by_operand(info: OpInfo, call: Inputs, other_device: str) -> tuple[dict[str, str], set[str]]:
    baseline, text = _with_one_misplaced(info, call, None, other_device)
    learnt = baseline != OTHER or is_about_devices(text)
    letters, texts = {_NONE: baseline if learnt else UNTESTED}, {text}
    for slot in slots(call):
        letter, text = _with_one_misplaced(info, call, slot, other_device)
        if letter in REFUSED and baseline in REFUSED:
            letter, text = UNTESTED, ""
        letters[".".join(map(str, slot))] = letter
        if letter == OTHER:
            texts.add(text)
    return letters, texts - {""}


def _with_one_misplaced(info: OpInfo, call: Inputs, slot: Slot | None, other_device: str) -> tuple[str, str]:
    args, kwargs = placed(call, lambda tensor: tensor.to("cuda"), slot, other_device)
    seed()
    return outcome(lambda: info.op(*args, **kwargs), other_device)


if __name__ == "__main__":
    main()
