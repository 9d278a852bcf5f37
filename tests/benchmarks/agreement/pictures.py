"""Pictures of noise, with what programs want to know of them."""

from __future__ import annotations

import json
import random
import struct
import zlib
from pathlib import Path

from tests.benchmarks.programs.data import png

WORDS, LETTERS, VIEWS = 300, 12, 12


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


def _with_opacity(size: int, chance: random.Random) -> bytes:
    rows = b"".join(b"\0" + chance.randbytes(4 * size) for _ in range(size))
    chunks = (
        (b"IHDR", struct.pack(">2I5B", size, size, 8, 6, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        for kind, content in chunks
    )


RECIPES = (written, alphabets, views)
