"""Data in NumPy's formats, made up: numbers of four bytes, one array a file or several in an archive."""

from __future__ import annotations

import json
import math
import pickle
import random
import struct
import zipfile
from collections.abc import Iterable
from pathlib import Path

SIMULATIONS, MOMENTS, BODIES = 60, 50, 5
SENSORS, MINUTES = 12, 400
HOUSEHOLDS = 20
SIDES = 160


def array(shape: tuple[int, ...], numbers: Iterable[float]) -> bytes:
    """A file in NumPy's format, with these numbers."""
    return header(shape) + struct.pack(f"<{math.prod(shape)}f", *numbers)


def header(shape: tuple[int, ...]) -> bytes:
    """How NumPy's format begins, for numbers of four bytes."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode("latin-1")


def omniglot(home: Path) -> None:
    """Characters as one array of 1,200 classes of 20 pictures, in NumPy's format."""
    home.mkdir()
    chance = random.Random("omniglot")
    shape = (1300, 20, 1, 28, 28)
    one = struct.pack("<784f", *(chance.random() for _ in range(784)))
    with (home / "omniglot.npy").open("wb") as file:
        file.write(header(shape))
        for _ in range(1300 * 20):
            file.write(one)


def utterances(home: Path) -> None:
    """Spectrograms of what speakers said, an array in NumPy's format a speaker."""
    home.mkdir()
    chance = random.Random("utterances")
    shape = (6, 40, 180)
    numbers = [chance.gauss(0, 1) for _ in range(math.prod(shape))]
    for speaker in range(12):
        with (home / f"speaker{speaker}.npy").open("wb") as file:
            file.write(header(shape))
            file.write(struct.pack(f"<{len(numbers)}f", *numbers))


def traffic(home: Path) -> None:
    """Three numbers that each sensor of a road counts every five minutes, as PeMS is laid out."""
    home.mkdir()
    chance = random.Random("traffic")
    shape = (MINUTES, SENSORS, 3)
    archive(home / "pems04.npz", data=array(shape, (chance.gauss(200, 50) for _ in range(math.prod(shape)))))


def binary_digits(home: Path) -> None:
    """Digits of black and white pixels, a row each, for training and for validation."""
    home.mkdir()
    chance = random.Random("binary_digits")
    archive(
        home / "binarized_mnist.npz",
        train_data=array((2000, 784), chance.choices((0.0, 1.0), k=2000 * 784)),
        valid_data=array((1000, 784), chance.choices((0.0, 1.0), k=1000 * 784)),
    )


def particles(home: Path) -> None:
    """Where charged bodies are and how fast they move, in three parts, as simulations write them."""
    home.mkdir()
    chance = random.Random("particles")
    shapes = {
        "loc": (SIMULATIONS, MOMENTS, 3, BODIES),
        "vel": (SIMULATIONS, MOMENTS, 3, BODIES),
        "edges": (SIMULATIONS, BODIES, BODIES),
        "charges": (SIMULATIONS, BODIES, 1),
    }
    for part in ("train", "valid", "test"):
        for name, shape in shapes.items():
            numbers = (chance.gauss(0, 1) for _ in range(math.prod(shape)))
            (home / f"{name}_{part}_charged5_initvel1small.npy").write_bytes(array(shape, numbers))


def roads(home: Path) -> None:
    """Windows of what sensors count, with what follows them, and how near these sensors are to each other."""
    home.mkdir()
    chance = random.Random("roads")
    for part, count in (("train", 240), ("val", 40), ("test", 40)):
        shape = (count, SENSORS, SENSORS, 2)
        x, y = (array(shape, (chance.gauss(60, 9) for _ in range(math.prod(shape)))) for _ in range(2))
        archive(home / f"{part}.npz", x=x, y=y)
    names = [str(number) for number in range(SENSORS)]
    near = [[chance.random() for _ in range(SENSORS)] for _ in range(SENSORS)]
    content = pickle.dumps((names, {name: number for number, name in enumerate(names)}, near))
    (home / "adjacency.pkl").write_bytes(content)


def electricity(home: Path) -> None:
    """What households use, in windows with their hours and the household's number, in two parts."""
    home.mkdir()
    chance = random.Random("electricity")
    for part, count in (("train", 256), ("test", 520)):
        rows = (
            [*(chance.random() for _ in range(5)), float(window % HOUSEHOLDS)]
            for window in range(count)
            for _ in range(192)
        )
        shapes = {"label": (count, 192), "v": (count, 2)}
        (home / f"{part}_data_elect.npy").write_bytes(
            array((count, 192, 6), (number for row in rows for number in row))
        )
        for name, shape in shapes.items():
            numbers = (chance.random() for _ in range(math.prod(shape)))
            (home / f"{part}_{name}_elect.npy").write_bytes(array(shape, numbers))


def turntable(home: Path) -> None:
    """Pictures of one thing from many sides, in one array, where the camera stood, and its focal length."""
    home.mkdir()
    chance = random.Random("turntable")
    pictures = array((SIDES, 16, 16, 3), (chance.uniform(0, 255) for _ in range(SIDES * 768)))
    pose = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 1.0)
    poses = array((SIDES, 4, 4), pose * SIDES)
    named = {"focal": array((), (20.0,)), "camera_distance": array((), (2.0,))}
    archive(home / "sides.npz", images=pictures, poses=poses, **named)


def waves(home: Path) -> None:
    """What a speaker said, as a wave and as a spectrogram, with a list, as FloWaveNet lays it out."""
    home.mkdir()
    chance = random.Random("waves")
    rows = []
    for number in range(60):
        frames = chance.randint(12, 20)
        wave, spectrogram = f"audio{number}.npy", f"mel{number}.npy"
        (home / wave).write_bytes(
            array((256 * frames,), (chance.uniform(-1, 1) for _ in range(256 * frames)))
        )
        (home / spectrogram).write_bytes(array((frames, 80), (chance.random() for _ in range(80 * frames))))
        rows.append(f"{wave}|{spectrogram}|{frames}|said\n")
    (home / "train.txt").write_text("".join(rows), "utf-8")


def films(home: Path) -> None:
    """Twelve films of twenty small pictures of noise, in one array."""
    home.mkdir()
    chance = random.Random("films")
    picture = struct.pack("<4096f", *(chance.uniform(0, 255) for _ in range(4096)))
    (home / "films.npy").write_bytes(header((20, 12, 64, 64)) + picture * 240)


def airfoils(home: Path) -> None:
    """What flows towards a wing, its shape, and the pressure and velocity around it, an archive a wing."""
    chance = random.Random("airfoils")
    fields = struct.pack("<98304f", *(chance.uniform(0, 1) for _ in range(6 * 128 * 128)))
    for part, count in (("train", 60), ("test", 10)):
        (home / part).mkdir(parents=True)
        for number in range(count):
            archive(home / part / f"{number}.npz", a=header((6, 128, 128)) + fields)


def crossroads(home: Path) -> None:
    """Two numbers that each sensor of a road counts, and how near the sensors are, an array a file."""
    home.mkdir()
    chance = random.Random("crossroads")
    shapes = {"adj_mat": (SENSORS, SENSORS), "node_values": (MINUTES, SENSORS, 2)}
    for name, shape in shapes.items():
        content = array(shape, (chance.random() for _ in range(math.prod(shape))))
        (home / f"{name}.npy").write_bytes(content)


def visits(home: Path) -> None:
    """What visitors of a shop looked at, and what they looked at next, pickled, in two parts."""
    home.mkdir()
    for part, count in (("train", 1200), ("test", 200)):
        chance = random.Random(f"visits {part}")
        seen = [[chance.randrange(1, 200) for _ in range(chance.randint(1, 9))] for _ in range(count)]
        following = [chance.randrange(1, 200) for _ in range(count)]
        (home / f"{part}.txt").write_bytes(pickle.dumps((seen, following)))


def tokens(home: Path) -> None:
    """Numbers of words, two bytes each, in two files."""
    home.mkdir()
    for part in range(2):
        chance = random.Random(f"tokens {part}")
        numbers = (chance.randrange(1, 32_000) for _ in range(40_000))
        (home / f"part{part}.bin").write_bytes(struct.pack("<40000H", *numbers))


def heartbeats(home: Path) -> None:
    """Two numbers a moment and whether something was wrong then, pickled, in two parts."""
    for part in ("train", "test"):
        (home / part).mkdir(parents=True)
        chance = random.Random(f"heartbeats {part}")
        rows = [[chance.gauss(0, 1), chance.gauss(0, 1), 0.0] for _ in range(1200)]
        (home / part / "heart.pkl").write_bytes(pickle.dumps(rows))


def clicked(home: Path) -> None:
    """Whether something was clicked, and the numbers of 39 categories, an array a part, with their names."""
    home.mkdir()
    for part, count in (("train", 4000), ("valid", 400), ("test", 400)):
        chance = random.Random(f"clicked {part}")
        rows = ([chance.randrange(2)] + [chance.randrange(20) for _ in range(39)] for _ in range(count))
        content = array((count, 40), (number for row in rows for number in row))
        (home / f"{part}_0.npy").write_bytes(content)
    names = {str(column): {str(value): value for value in range(20)} for column in range(39)}
    (home / "tokenizer.json").write_text(json.dumps(names), "utf-8")


def archive(path: Path, **arrays: bytes) -> None:
    """Write several arrays into one file, as NumPy does."""
    with zipfile.ZipFile(path, "w") as file:
        for name, content in arrays.items():
            file.writestr(zipfile.ZipInfo(f"{name}.npy"), content)


RECIPES = (
    omniglot,
    utterances,
    traffic,
    binary_digits,
    particles,
    roads,
    electricity,
    turntable,
    waves,
    films,
    airfoils,
    crossroads,
    visits,
    tokens,
    heartbeats,
    clicked,
)
