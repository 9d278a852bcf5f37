"""Pickled data, made up, with arrays that NumPy makes when they are read."""

from __future__ import annotations

import pickle
import random
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.agreement.arrays import archive, array


class Array:
    """Numbers that are an array of NumPy once they are unpickled."""

    def __init__(self, shape: tuple[int, ...], numbers: Sequence[float]) -> None:
        self._expression = f"__import__('numpy').resize({list(numbers)!r}, {shape!r}).astype('float32')"

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return eval, (self._expression,)


def happenings(home: Path) -> None:
    """When things of five types happened, sequence by sequence, in three parts."""
    home.mkdir()
    for part, count in (("train", 80), ("dev", 16), ("test", 16)):
        chance = random.Random(f"happenings {part}")
        sequences = []
        for _ in range(count):
            times, sequence = 0.0, []
            for _ in range(chance.randint(6, 20)):
                gap = chance.expovariate(1)
                times += gap
                row = {"time_since_start": times, "time_since_last_event": gap}
                sequence.append({**row, "type_event": chance.randrange(5)})
            sequences.append(sequence)
        (home / f"{part}.pkl").write_bytes(pickle.dumps({"dim_process": 5, part: sequences}))


def remarks(home: Path) -> None:
    """What was said, heard and seen in a remark, and how it was meant, as CMU-MOSEI is laid out."""
    home.mkdir()
    chance = random.Random("remarks")
    parts = {
        part: {
            **{
                sense: Array((count, length, width), [chance.gauss(0, 1) for _ in range(997)])
                for sense, length, width in (("text", 8, 30), ("audio", 16, 10), ("vision", 16, 12))
            },
            "labels": Array((count, 1, 1), [chance.uniform(-3, 3) for _ in range(count)]),
        }
        for part, count in (("train", 160), ("valid", 32), ("test", 32))
    }
    (home / "mosei_senti_data_noalign.pkl").write_bytes(pickle.dumps(parts))


def voices(home: Path) -> None:
    """Spectrograms of what eight speakers said, a vector a speaker, and a list of both."""
    chance = random.Random("voices")
    home.mkdir()
    listed: list[list[object]] = []
    for speaker in range(8):
        (home / f"p{speaker}").mkdir()
        row: list[object] = [f"p{speaker}", Array((256,), [chance.gauss(0, 1) for _ in range(256)])]
        for utterance in range(3):
            name = f"p{speaker}/{utterance}.npy"
            (home / name).write_bytes(array((150, 80), (chance.random() for _ in range(150 * 80))))
            row.append(name)
        listed.append(row)
    (home / "train.pkl").write_bytes(pickle.dumps(listed))


def intrusions(home: Path) -> None:
    """Connections of 118 numbers, and whether each is an attack, as KDD Cup 99 is laid out."""
    home.mkdir()
    chance = random.Random("intrusions")
    rows = ([*(chance.random() for _ in range(118)), float(number % 4 == 0)] for number in range(1600))
    content = array((1600, 119), (value for row in rows for value in row))
    archive(home / "kdd_cup.npz", kdd=content)


RECIPES = (happenings, remarks, voices, intrusions)
