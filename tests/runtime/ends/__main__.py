"""Run each script by Python and by `devlint run`, and list what differs: `python -m tests.runtime.ends`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from time import monotonic

from tests.runtime.ends.compare import OPTIONS, differences
from tests.runtime.ends.scripts import SCRIPTS


def main() -> int:
    """Print what differs, and how many scripts ended as they do without devlint."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="one of so many scripts")
    chosen = SCRIPTS[:: parser.parse_args().every]
    began, odd = monotonic(), 0
    with tempfile.TemporaryDirectory() as where:
        for script in chosen:
            found = list(differences(script, Path(where)))
            odd += bool(found)
            for line in found:
                print(f"{script.work}, {script.end}: {line}", flush=True)  # noqa: T201
    seconds = monotonic() - began
    print(  # noqa: T201
        f"{len(chosen) - odd} of {len(chosen)} scripts end as they do without devlint, each with"
        f" {len(OPTIONS)} sets of options; {seconds:.0f} s"
    )
    return 1 if odd else 0


if __name__ == "__main__":
    sys.exit(main())
