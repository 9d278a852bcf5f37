"""Check inputs that nobody wrote, for a while: `python -m tests.fuzzing --seconds 3600 --seed 1`.

With `hypothesmith` installed (the extra `fuzz`), programs from Python's grammar are among them.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded

from tests.fuzzing.checking import BrokenError, check
from tests.fuzzing.inputs import Input, inputs

FROM_GRAMMAR = 50
"""So many programs from the grammar come at once, and then as many others ten times."""


def from_grammar(seed: int) -> Iterator[Input]:
    """Programs from Python's grammar; none without `hypothesmith`."""
    try:
        import hypothesmith  # noqa: PLC0415  # it is an extra
    except ImportError:
        return
    made: list[str] = []

    @seeded(seed)
    @settings(
        max_examples=FROM_GRAMMAR,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(hypothesmith.from_grammar())
    def collect(text: str) -> None:
        made.append(text)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        collect()
    for text in made:
        yield Input("program", "fuzzed.py", text.encode("utf-8", "surrogatepass"))


def main() -> int:
    """Check until the time is over; print what came of it, and each input that devlint fails on."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    came: Counter[str] = Counter()
    end = time.monotonic() + arguments.seconds
    mutated = inputs(arguments.seed)
    with tempfile.TemporaryDirectory() as name:
        for turn in range(sys.maxsize):
            for each in (*from_grammar(arguments.seed + turn), *islice(mutated, 10 * FROM_GRAMMAR)):
                if time.monotonic() > end:
                    print(dict(came))  # noqa: T201
                    return 1 if came["broken"] else 0
                came[_tried(each, Path(name))] += 1
    return 0


def _tried(each: Input, where: Path) -> str:
    try:
        found = f"{each.kind} {check(each, where)}"
    except BrokenError as error:
        print(f"{each.kind} {each.data!r}: {error}")  # noqa: T201
        return "broken"
    if "Python refuses" in found:
        print(f"{found}: {each.data!r}")  # noqa: T201
    return found


if __name__ == "__main__":
    sys.exit(main())
