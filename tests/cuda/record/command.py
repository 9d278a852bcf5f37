"""Records what real CUDA does: `python -m tests.cuda.record --out DIR`. See docs/cuda.md."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from time import monotonic

from tests.cuda.record.files import read
from tests.cuda.record.ground import Ground, ground_here, header
from tests.cuda.record.newest import RECORDS
from tests.cuda.record.parts import PARTS
from tests.cuda.record.recording import record

MINUTES = 8.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Record what has not been recorded yet, the most telling part first, as far as there is time."""
    options = _parser().parse_args(arguments)
    try:
        ground = ground_here(rehearse=options.rehearse)
    except LookupError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    folder: Path = options.out.resolve()
    if ground.is_rehearsal and folder.is_relative_to(RECORDS):
        sys.stderr.write(f"{folder} is for what real CUDA does, and this is a {ground.label}\n")
        return 2
    folder.mkdir(parents=True, exist_ok=True)
    deadline = monotonic() + options.minutes * 60
    known = header(ground)
    for part in PARTS:
        if options.only and part.name not in options.only:
            continue
        path = folder / f"{part.name}.tsv"
        if path.exists() and read(path).is_complete:
            _say(ground, f"{part.name}: there already")
        elif monotonic() > deadline:
            _say(ground, f"{part.name}: no time left")
        else:
            said = record(part, ground, known, path, min(part.seconds, deadline - monotonic()))
            _say(ground, f"{part.name}: {said}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.cuda.record", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder of the record")
    parser.add_argument("--rehearse", action="store_true", help="on simulated devices, for want of CUDA")
    names = [part.name for part in PARTS]
    parser.add_argument("--only", action="append", choices=names, help="this part, or these")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="begin nothing after so many minutes")
    return parser


def _say(ground: Ground, text: str) -> None:
    sys.stdout.write(f"[{ground.label}] {text}\n")
    sys.stdout.flush()
