"""Imported by every Python that the programs are run with, before anything of theirs.

It bounds the run, writes down which lines were executed how often, and puts small made-up data in the place
of data sets that would have to be downloaded. The programs' own files are not changed.
"""

from __future__ import annotations

import os


def begin() -> None:
    """Do so, as the environment says."""
    from stand_in import bounds, former, lines, silent, steps, synthetic  # noqa: PLC0415 - they import torch, which takes seconds

    silent.install()
    former.install()
    bounds.restore_names()
    bounds.seed()
    if "PROGRAM_OPTIMIZERS" in os.environ:
        steps.note(os.environ["PROGRAM_OPTIMIZERS"])
    bounds.stop_after(int(os.environ["PROGRAM_STEPS"]), float(os.environ["PROGRAM_SECONDS"]))
    bounds.load_in_this_process()
    synthetic.install()
    if "PROGRAM_LINES" in os.environ:
        lines.count(os.environ["PROGRAM_ROOT"], os.environ["PROGRAM_LINES"])


if "PROGRAM_ROOT" in os.environ:
    begin()
