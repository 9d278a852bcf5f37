"""Whether a run sees the host wait where it waits, and nowhere else: snippets of `synchronizations.toml`.

    python -m tests.runtime.synchronizations            simulated devices
    python -m tests.runtime.synchronizations --cuda     what torch's CUDA build does, here

A fact's snippets stand under `waits` or `goes_on`; those under `raises` are refused by torch before anything
waits. `since` is the first version of torch that it holds for, and `until` the first that it no longer holds
for. Its `setup` is run first, unobserved. Each snippet has these names, made anew: on the device `x` (4 x 4
floats), `v` (4 floats), `leaf` (4 floats that require a gradient), `s` (a float), `i` and `k` (the integers 1
and 2), `n` (4 indices), `mask` (4 x 4 booleans); on the host the same values as `hx`, `hv`, `hs`, `hi`, `hn`,
`hmask`; and `torch`, `F`, `nn`, `np` and modules of the standard library.
"""

from __future__ import annotations

import argparse
import copy
import io
import math
import operator
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 - its usual name, in snippets too
from torch.torch_version import TorchVersion

from devlint.model import Event, Synchronization
from devlint.runtime.policy.settings import RunSettings
from devlint.runtime.session.session import Session

TABLE = Path(__file__).with_suffix(".toml")
RELEASE = TorchVersion(torch.__version__.partition("+")[0])
"""A version of torch without what tells its builds apart: a local version counts as later than it."""
SIMULATED = RunSettings(simulate="cuda", devices=2)


@dataclass(frozen=True, slots=True)
class Snippet:
    """Some lines of a program, and whether the host waits in them."""

    fact: str
    setup: str
    code: str
    waits: bool
    raises: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """The observed events of a snippet."""

    snippet: Snippet
    seen: bool

    @property
    def right(self) -> bool:
        """Whether a wait was seen just where there is one."""
        return self.seen is self.snippet.waits


def snippets() -> Iterator[Snippet]:
    """All snippets of the table that hold for this torch."""
    toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    for fact in toml.loads(TABLE.read_text("utf-8"))["fact"]:
        if not fact.get("since", "0") <= RELEASE < fact.get("until", "99"):
            continue
        name, setup = fact["name"], fact.get("setup", "")
        yield from (Snippet(name, setup, code, waits=True) for code in fact.get("waits", ()))
        yield from (Snippet(name, setup, code, waits=False) for code in fact.get("goes_on", ()))
        yield from (Snippet(name, setup, code, waits=False, raises=True) for code in fact.get("raises", ()))


class Reads(torch.autograd.Function):
    """A function whose backward reads a value."""

    @staticmethod
    def forward(ctx: Any, value: torch.Tensor) -> torch.Tensor:  # noqa: ARG004
        return value * 2

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:  # noqa: ARG004
        return gradient * float(gradient.sum())


def namespace() -> dict[str, Any]:
    """The names that a snippet finds."""
    torch.manual_seed(0)
    host = {
        "x": torch.randn(4, 4),
        "v": torch.rand(4),
        "s": torch.tensor(0.5),
        "i": torch.tensor(1),
        "k": torch.tensor(2),
        "n": torch.tensor([0, 1, 2, 0]),
        "mask": torch.eye(4, dtype=torch.bool),
    }
    device = {name: value.to("cuda") for name, value in host.items()}
    leaf = torch.ones(4).to("cuda").requires_grad_()
    modules = {"torch": torch, "F": F, "nn": nn, "np": np, "math": math, "io": io, "copy": copy}
    own = {"operator": operator, "Reads": Reads, "leaf": leaf}
    return {**{f"h{name}": value for name, value in host.items()}, **device, **modules, **own}


def prepared(snippet: Snippet) -> Callable[[], None]:
    """The snippet, ready to run."""
    names = namespace()
    exec(compile(snippet.setup, "<string>", "exec"), names)
    code = compile(snippet.code, "<string>", "exec")

    def run() -> None:
        with suppress(RuntimeError, TypeError, IndexError) if snippet.raises else nullcontext():
            exec(code, names)

    return run


def verdicts(settings: RunSettings) -> Iterator[Verdict]:
    """The events that a session observes for each snippet."""
    session = Session(settings)
    seen: list[Event] = []
    session.listeners.append(lambda event, _: seen.append(event))
    session.start()
    try:
        for snippet in snippets():
            run = prepared(snippet)
            seen.clear()
            run()
            yield Verdict(snippet, any(isinstance(event, Synchronization) for event in seen))
    finally:
        session.stop()


def score(found: list[Verdict]) -> tuple[float, float]:
    """Recall and precision: of the waits the part that is seen, and of what is seen the part that waits."""
    seen_waits = sum(verdict.seen and verdict.snippet.waits for verdict in found)
    waits = sum(verdict.snippet.waits for verdict in found)
    seen = sum(verdict.seen for verdict in found)
    return seen_waits / waits, seen_waits / seen


def main() -> None:
    """Prints each wrong verdict, and recall and precision."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.runtime.synchronizations", description="Compares waits seen with waits known."
    )
    parser.add_argument("--cuda", action="store_true", help="on the CUDA devices of this machine")
    arguments = parser.parse_args()
    found = list(verdicts(RunSettings() if arguments.cuda else SIMULATED))
    for verdict in found:
        if not verdict.right:
            what = "goes on, and a wait is seen" if verdict.seen else "waits, and nothing is seen"
            sys.stdout.write(f"{verdict.snippet.fact}: {verdict.snippet.code!r} {what}\n")
    recall, precision = score(found)
    sys.stdout.write(f"{len(found)} snippets: recall {recall:.1%}, precision {precision:.1%}\n")


if __name__ == "__main__":
    main()
