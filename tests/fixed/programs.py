"""Programs that devlint has fixes for, before and after, and how each of them is used."""

from __future__ import annotations

import inspect
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from devlint.pipeline.files.document import read_document
from devlint.rules import registry
from devlint.rules.base import EXPECTATION
from tests.fixed.fixing import Fixed, fix_all

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ALL_RULES = frozenset(registry.codes())


@dataclass(frozen=True)
class Use:
    """A program, and what is done with it; see `uses.toml`."""

    program: str
    run: str = ""
    mends: bool = False
    unsafe: bool = False
    on_cpu: str = ""
    """Why the fix may change what the program computes on the CPU."""

    @property
    def before(self) -> str:
        """The program as it stands."""
        return programs()[self.program]

    @property
    def after(self) -> str:
        """The program with its fixes."""
        return self._fixed.document.text

    @property
    def codes(self) -> Counter[str]:
        """What was fixed."""
        return self._fixed.counts

    @cached_property
    def _fixed(self) -> Fixed:
        return fixed(self.before, unsafe=self.unsafe)


@cache
def fixed(text: str, *, unsafe: bool) -> Fixed:
    """A program after `--fix` with all rules selected."""
    return fix_all(
        read_document(text.encode(), "program.py", notebook=False), "program.py", ALL_RULES, unsafe=unsafe
    )


@cache
def programs() -> dict[str, str]:
    """Every program with a bug that this project has, by name."""
    return dict(_all_programs())


def _all_programs() -> Iterator[tuple[str, str]]:
    for path in sorted((ROOT / "tests" / "cases").glob("*/bad.py")):
        yield path.parent.name, path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "docs" / "examples").glob("*_bad.py")):
        yield path.stem, path.read_text(encoding="utf-8")
    for rule in registry.all_rules():
        for number, example in enumerate(rule.examples, start=1):
            yield f"{rule.code}-{number}", EXPECTATION.sub("", inspect.cleandoc(example.bad) + "\n")


@cache
def uses() -> tuple[Use, ...]:
    """How programs are used, in the order of `uses.toml`."""
    return tuple(Use(**entry) for entry in _table()["use"])


@cache
def unused() -> dict[str, str]:
    """The programs with fixes that are not run, each with the reason."""
    return {str(name): str(reason) for name, reason in _table()["unused"].items()}


def _table() -> dict[str, Any]:
    toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    read: dict[str, Any] = toml.loads((HERE / "uses.toml").read_text(encoding="utf-8"))
    return read
