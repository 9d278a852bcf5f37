"""Writes the data files of `devlint.operators`, or checks that they are up to date."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import devlint.operators
from tools.operators import attributes, build

DATA = Path(devlint.operators.__file__).parent / "data"


def files() -> dict[str, Callable[[], str]]:
    """The generated files and the functions that generate their content, with the installed torch."""
    return {
        "operators.tsv": build.text,
        "kernels.tsv": build.kernels_text,
        "tensor_attributes.txt": attributes.text,
        "tensor_methods_of_numbers.txt": attributes.text_of_methods_of_numbers,
    }


def main() -> int:
    """Exit status: 0 written or up to date, 1 out of date."""
    parser = argparse.ArgumentParser(prog="python -m tools.operators", description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; fail if a file is out of date")
    check = parser.parse_args().check
    wanted = {name: make() for name, make in files().items()}
    stale = {name: text for name, text in wanted.items() if not _holds(DATA / name, text)}
    for name, text in stale.items():
        if check:
            sys.stderr.write(f"{DATA / name} is out of date\n")
        else:
            (DATA / name).write_text(text, encoding="utf-8")
    return 1 if check and stale else 0


def _holds(path: Path, text: str) -> bool:
    return path.exists() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main())
