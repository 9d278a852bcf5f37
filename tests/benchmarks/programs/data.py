"""Small data files in the formats that the programs read, the same at every run: random pixels, random words.

Models need not learn from them, because the benchmark compares two runs with each other.
"""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

TRAIN_IMAGES = 400
TEST_IMAGES = 200
NODES = 1500
"""Programs that read Cora test on those up to this."""
WORDS = 400
"""The size of the vocabulary."""


def mnist(home: Path) -> None:
    """MNIST and FashionMNIST as torchvision keeps them: idx files of 28 by 28 pixels and of labels."""
    for name in ("MNIST", "FashionMNIST"):
        raw = home / name / "raw"
        raw.mkdir(parents=True)
        for part, count in (("train", TRAIN_IMAGES), ("t10k", TEST_IMAGES)):
            chance = random.Random(f"{name} {part}")
            images = struct.pack(">4I", 0x0803, count, 28, 28) + chance.randbytes(count * 28 * 28)
            labels = struct.pack(">2I", 0x0801, count) + bytes(chance.randrange(10) for _ in range(count))
            (raw / f"{part}-images-idx3-ubyte").write_bytes(images)
            (raw / f"{part}-labels-idx1-ubyte").write_bytes(labels)


def text(home: Path) -> None:
    """Lines of made-up words, whole and split for training, validation and testing."""
    home.mkdir()
    chance = random.Random("text")
    vocabulary = _vocabulary(chance)
    parts = {"train": 1200, "valid": 200, "test": 200}
    for part, count in parts.items():
        lines = (" ".join(chance.choices(vocabulary, k=chance.randint(4, 14))) for _ in range(count))
        (home / f"{part}.txt").write_text("".join(f"{line} .\n" for line in lines), "utf-8")
    whole = "".join((home / f"{part}.txt").read_text("utf-8") for part in parts)
    (home / "input.txt").write_text(whole, "utf-8")


def words(home: Path) -> None:
    """One made-up word a line."""
    home.mkdir()
    chance = random.Random("words")
    (home / "names.txt").write_text("\n".join(_vocabulary(chance)) + "\n", "utf-8")


def images(home: Path) -> None:
    """Colour photographs of noise, in folders for training and testing, each with two classes."""
    chance = random.Random("images")
    for part, count in (("train", 12), ("val", 6)):
        for label in ("left", "right"):
            folder = home / part / label
            folder.mkdir(parents=True)
            for number in range(count):
                (folder / f"{number}.png").write_bytes(png(64, 64, chance))


def photographs(home: Path) -> None:
    """The same, larger and without classes, as the Berkeley segmentation data set is laid out."""
    chance = random.Random("photographs")
    for part in ("train", "test"):
        folder = home / "BSDS300" / "images" / part
        folder.mkdir(parents=True)
        for number in range(4):
            (folder / f"{number}.png").write_bytes(png(288, 272, chance))


def cora(home: Path) -> None:
    """A graph of papers with words, classes and citations, as the Cora data set is laid out."""
    home.mkdir()
    chance = random.Random("cora")
    papers = chance.sample(range(1, 100_000), NODES)
    content = (
        f"{paper}\t"
        + "\t".join(chance.choices("01", (5, 1), k=WORDS // 4))
        + f"\tclass_{chance.randrange(7)}"
        for paper in papers
    )
    cites = ("\t".join(map(str, chance.sample(papers, 2))) for _ in range(2 * NODES))
    (home / "cora.content").write_text("\n".join(content) + "\n", "utf-8")
    (home / "cora.cites").write_text("\n".join(cites) + "\n", "utf-8")


def _vocabulary(chance: random.Random) -> list[str]:
    syllables = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
    return sorted({"".join(chance.choices(syllables, k=chance.randint(1, 4))) for _ in range(WORDS)})


def png(width: int, height: int, chance: random.Random, *, grey: bool = False) -> bytes:
    """A picture in the simplest form that PNG knows: 8 bits a channel, no row filtered."""
    rows = b"".join(b"\0" + chance.randbytes(width if grey else 3 * width) for _ in range(height))
    header = struct.pack(">2I5B", width, height, 8, 0 if grey else 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        for kind, content in chunks
    )


RECIPES: dict[str, Callable[[Path], None]] = {
    recipe.__name__: recipe for recipe in (mnist, text, words, images, photographs, cora)
}
