"""Pictures of noise, with what programs want to know of them."""

from __future__ import annotations

import gzip
import json
import random
import struct
import zlib
from collections.abc import Iterable
from pathlib import Path

from tests.benchmarks.programs.data import png

WORDS, LETTERS, VIEWS = 300, 12, 12
DIGITS, CLASSES = 200, 12
PHOTOGRAPHS = 24


def written(home: Path) -> None:
    """Pictures of words, a list of all words, and which picture shows which, as Synth90k is laid out."""
    (home / "pictures").mkdir(parents=True)
    chance = random.Random("written")
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=5)) for _ in range(WORDS)]
    (home / "lexicon.txt").write_text("".join(f"{word}\n" for word in words), "utf-8")
    for part, numbers in (("train", range(WORDS)), ("val", range(20))):
        for number in numbers:
            (home / f"pictures/{number}.png").write_bytes(png(100, 32, chance, grey=True))
        rows = "".join(f"pictures/{number}.png {number}\n" for number in numbers)
        (home / f"annotation_{part}.txt").write_text(rows, "utf-8")


def alphabets(home: Path) -> None:
    """Grey pictures of letters, a folder a letter, in a folder for each alphabet, as Omniglot is laid out."""
    chance = random.Random("alphabets")
    for letter in range(LETTERS):
        folder = home / f"alphabet{letter % 3}" / f"letter{letter}"
        folder.mkdir(parents=True)
        for number in range(8):
            (folder / f"{number}.png").write_bytes(png(105, 105, chance, grey=True))


def views(home: Path) -> None:
    """Pictures whose pixels have an opacity, and where the camera stood, as Blender writes them."""
    home.mkdir()
    chance = random.Random("views")
    for part in ("train", "val", "test"):
        frames = []
        for number in range(VIEWS):
            (home / f"{part}{number}.png").write_bytes(_with_opacity(32, chance))
            pose = [[float(row == column) for column in range(4)] for row in range(4)]
            pose[2][3] = 4.0
            frames.append({"file_path": f"{part}{number}", "transform_matrix": pose})
        content = json.dumps({"camera_angle_x": 0.7, "frames": frames})
        (home / f"transforms_{part}.json").write_text(content, "utf-8")


def streets(home: Path) -> None:
    """Pictures of streets in three folders, the class of each pixel in three more, as CamVid names them."""
    chance = random.Random("streets")
    for part, count in (("train", 24), ("val", 4), ("test", 4)):
        pictures, classes = home / part, home / f"{part}annot"
        pictures.mkdir(parents=True)
        classes.mkdir()
        for number in range(count):
            (pictures / f"{number:03}.png").write_bytes(png(64, 64, chance))
            (classes / f"{number:03}.png").write_bytes(_of_classes(64, chance))


def characters(home: Path) -> None:
    """Grey pictures of letters as in `alphabets`, and lists of these, turned by the angles that they name."""
    chance = random.Random("characters")
    names = [f"alphabet{letter % 4}/letter{letter}" for letter in range(2 * LETTERS)]
    for name in names:
        folder = home / "data" / name
        folder.mkdir(parents=True)
        for number in range(12):
            (folder / f"{number}.png").write_bytes(png(105, 105, chance, grey=True))
    lists = home / "splits" / "vinyals"
    lists.mkdir(parents=True)
    rows = "".join(f"{name}/rot{angle:03}\n" for name in names for angle in (0, 90, 180, 270))
    for part in ("train", "trainval", "val", "test"):
        (lists / f"{part}.txt").write_text(rows, "utf-8")


def packed_digits(home: Path) -> None:
    """Digits as MNIST's file has them, compressed."""
    home.mkdir()
    chance = random.Random("packed_digits")
    pixels = struct.pack(">4I", 0x0803, DIGITS, 28, 28) + chance.randbytes(DIGITS * 28 * 28)
    (home / "train-images-idx3-ubyte.gz").write_bytes(gzip.compress(pixels, mtime=0))


def listed(home: Path) -> None:
    """Colour photographs of noise, and a list of them."""
    home.mkdir()
    chance = random.Random("listed")
    names = [f"{number:02}.png" for number in range(24)]
    for name in names:
        (home / name).write_bytes(png(128, 128, chance))
    (home / "train_images.json").write_text(json.dumps([f"{home.name}/{name}" for name in names]), "utf-8")


def birds(home: Path) -> None:
    """Colour photographs of noise in 200 folders, which have their classes' names."""
    chance = random.Random("birds")
    for number in range(200):
        folder = home / f"{number:03}.Bird"
        folder.mkdir(parents=True)
        for picture in range(3):
            (folder / f"{picture}.png").write_bytes(png(32, 32, chance))


def foreign_digits(home: Path) -> None:
    """Colour pictures of noise in two folders, and lists of these with the digit that each shows."""
    chance = random.Random("foreign_digits")
    for part, count in (("train", 1700), ("test", 32)):
        folder = home / f"mnist_m_{part}"
        folder.mkdir(parents=True)
        for number in range(count):
            (folder / f"{number}.png").write_bytes(png(28, 28, chance))
        rows = "".join(f"{number}.png {number % 10}\n" for number in range(count))
        (home / f"mnist_m_{part}_labels.txt").write_text(rows, "utf-8")


def tiles(home: Path) -> None:
    """Small colour photographs of noise, in a folder for training and one for validation."""
    chance = random.Random("tiles")
    for part, count in (("train", 320), ("valid", 8)):
        folder = home / part
        folder.mkdir(parents=True)
        for number in range(count):
            (folder / f"{number:03}.png").write_bytes(png(48, 48, chance))


def hazes(home: Path) -> None:
    """Colour photographs of noise, and two hazy versions of each, named as NYU2's are for AOD-Net."""
    chance = random.Random("hazes")
    for folder in ("clear", "hazy"):
        (home / folder).mkdir(parents=True)
    for number in range(1, PHOTOGRAPHS + 1):
        (home / f"clear/NYU2_{number}.jpg").write_bytes(png(64, 48, chance))
        for haze in (1, 2):
            (home / f"hazy/NYU2_{number}_{haze}_2.jpg").write_bytes(png(64, 48, chance))


def _with_opacity(size: int, chance: random.Random) -> bytes:
    return _encoded(size, 6, (chance.randbytes(4 * size) for _ in range(size)))


def _of_classes(size: int, chance: random.Random) -> bytes:
    return _encoded(size, 0, (bytes(chance.choices(range(CLASSES), k=size)) for _ in range(size)))


def _encoded(size: int, kind: int, rows: Iterable[bytes]) -> bytes:
    """A square picture of these rows of pixels, of a kind that PNG has a number for."""
    chunks = (
        (b"IHDR", struct.pack(">2I5B", size, size, 8, kind, 0, 0, 0)),
        (b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows))),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        for kind, content in chunks
    )


RECIPES = (
    written,
    alphabets,
    views,
    streets,
    characters,
    packed_digits,
    listed,
    birds,
    foreign_digits,
    tiles,
    hazes,
)
