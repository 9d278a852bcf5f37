"""Tables and texts, a record a line, in the formats that programs read."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

TAGS = ("O", "B-PER", "I-PER", "E-PER", "S-LOC")
SENTENCES, USERS, ITEMS, PAPERS = 300, 120, 240, 1000


def entities(home: Path) -> None:
    """Sentences whose words have tags, in three parts, each with a file of words and one of tags."""
    for part, count in (("train", SENTENCES), ("val", 60), ("test", 60)):
        chance = random.Random(f"entities {part}")
        folder = home / part
        folder.mkdir(parents=True)
        sentences = [
            [(_word(chance), chance.choice(TAGS)) for _ in range(chance.randint(3, 12))] for _ in range(count)
        ]
        for number, name in enumerate(("sentences", "labels")):
            _write(folder / f"{name}.txt", (" ".join(word[number] for word in words) for words in sentences))


def held_out(home: Path) -> None:
    """Which items users chose, and for two further groups of users what is shown of that and what is not."""
    home.mkdir()
    chance = random.Random("held_out")
    _write(home / "unique_sid.txt", map(str, range(ITEMS)))
    parts = {
        "train": range(USERS),
        **dict.fromkeys(("validation_tr", "validation_te"), range(USERS, USERS + 30)),
    }
    parts |= dict.fromkeys(("test_tr", "test_te"), range(USERS + 30, USERS + 60))
    for part, users in parts.items():
        rows = (f"{user},{item}" for user in users for item in chance.sample(range(ITEMS), k=6))
        _write(home / f"{part}.csv", ("uid,sid", *rows))


def citations(home: Path) -> None:
    """Papers with their words and classes, as Cora is laid out, each of which cites another one."""
    home.mkdir()
    chance = random.Random("citations")
    words = ("\t".join(chance.choices("01", (5, 1), k=100)) for _ in range(PAPERS))
    _write(home / "cora.content", (f"{paper}\t{row}\tclass_{paper % 7}" for paper, row in enumerate(words)))
    cited = ((paper, (paper + chance.randrange(1, PAPERS)) % PAPERS) for paper in range(PAPERS))
    _write(home / "cora.cites", (f"{one}\t{other}" for one, other in cited))


def surface(home: Path) -> None:
    """Points of a surface, each with the direction that leads away from it."""
    home.mkdir()
    chance = random.Random("surface")
    points = (" ".join(f"{chance.gauss(0, 1):.4f}" for _ in range(6)) for _ in range(2000))
    _write(home / "surface.xyz", points)


def _tagged(chance: random.Random) -> list[tuple[str, str]]:
    return [(_word(chance), chance.choice(TAGS)) for _ in range(chance.randint(3, 12))]


def _word(chance: random.Random) -> str:
    return "".join(chance.choices("abcd", k=chance.randint(1, 3)))


def _write(path: Path, rows: Iterable[str]) -> None:
    path.write_text("".join(f"{row}\n" for row in rows), "utf-8")


RECIPES = (entities, held_out, citations, surface)
