"""Tables and texts, a record a line, in the formats that programs read."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from pathlib import Path

TAGS = ("O", "B-PER", "I-PER", "E-PER", "S-LOC")
SENTENCES, USERS, ITEMS, PAPERS, MOLECULES = 300, 120, 240, 1000, 240


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


def phrases(home: Path) -> None:
    """Phrases of two made-up languages: both in one file with a tab between, and a file for each."""
    home.mkdir()
    chance = random.Random("phrases")
    pairs = [
        tuple(" ".join(_word(chance) for _ in range(chance.randint(3, 9))) for _ in range(2))
        for _ in range(SENTENCES)
    ]
    _write(home / "pairs.txt", map("\t".join, pairs))
    for number, language in enumerate(("source", "target")):
        _write(home / f"{language}.txt", (pair[number] for pair in pairs))


def walks(home: Path) -> None:
    """Where people walk: a moment, a person and a place a line, with tabs between, in three parts."""
    for part in ("train", "val", "test"):
        chance = random.Random(f"walks {part}")
        folder = home / part
        folder.mkdir(parents=True)
        rows = (
            f"{10 * moment}.0\t{person}.0"
            f"\t{0.4 * moment + chance.random():.2f}\t{person + chance.random():.2f}"
            for moment in range(120)
            for person in range(4)
        )
        _write(folder / "place.txt", rows)


def molecules(home: Path) -> None:
    """Small graphs of two classes, all in one file of edges, with files that say which node is whose."""
    home.mkdir()
    chance = random.Random("molecules")
    sizes = [chance.randint(6, 14) for _ in range(MOLECULES)]
    starts = [1 + sum(sizes[:number]) for number in range(MOLECULES)]
    edges = (
        edge
        for start, size in zip(starts, sizes, strict=True)
        for node in range(size)
        for edge in _both_ways(start + node, start + (node + 1) % size)
    )
    _write(home / "PROTEINS_A.txt", edges)
    owners = (str(number + 1) for number, size in enumerate(sizes) for _ in range(size))
    _write(home / "PROTEINS_graph_indicator.txt", owners)
    _write(home / "PROTEINS_graph_labels.txt", (str(1 + number % 2) for number in range(MOLECULES)))
    _write(home / "PROTEINS_node_labels.txt", (str(chance.randrange(3)) for _ in range(sum(sizes))))


def strokes(home: Path) -> None:
    """Short series, a class and the numbers of one a line, with tabs between, in two parts."""
    home.mkdir()
    for part, count in (("TRAIN", 64), ("TEST", 32)):
        chance = random.Random(f"strokes {part}")
        rows = (
            "\t".join((str(1 + row % 2), *(f"{chance.gauss(0, 1):.4f}" for _ in range(80))))
            for row in range(count)
        )
        _write(home / f"Strokes_{part}.tsv", rows)


def facts(home: Path) -> None:
    """Which thing is related to which, and how, a triple a line, in three parts."""
    home.mkdir()
    for part, count in (("train", 3000), ("valid", 200), ("test", 200)):
        chance = random.Random(f"facts {part}")
        rows = (
            f"thing{chance.randrange(100)}\trelated{chance.randrange(8)}\tthing{chance.randrange(100)}"
            for _ in range(count)
        )
        _write(home / f"{part}.txt", rows)


def parts_of_shapes(home: Path) -> None:
    """Points of shapes in two categories, and which part each belongs to, as ShapeNet is laid out."""
    chance = random.Random("parts_of_shapes")
    home.mkdir()
    categories = {"Bag": "02773838", "Cap": "02954340"}
    _write(home / "synsetoffset2category.txt", (f"{name}\t{code}" for name, code in categories.items()))
    (home / "train_test_split").mkdir()
    for part, numbers in (("train", range(40)), ("test", range(40, 56))):
        listed = [f"shape_data/{code}/{number}" for code in categories.values() for number in numbers]
        content = json.dumps(listed)
        (home / "train_test_split" / f"shuffled_{part}_file_list.json").write_text(content, "utf-8")
    for code in categories.values():
        for folder in ("points", "points_label"):
            (home / code / folder).mkdir(parents=True)
        for number in range(56):
            points = (" ".join(f"{chance.gauss(0, 1):.4f}" for _ in range(3)) for _ in range(200))
            _write(home / code / "points" / f"{number}.pts", points)
            labels = (str(chance.randint(1, 2)) for _ in range(200))
            _write(home / code / "points_label" / f"{number}.seg", labels)


def anecdotes(home: Path) -> None:
    """Short texts, one in JSON a line."""
    home.mkdir()
    chance = random.Random("anecdotes")
    texts = (" ".join(_word(chance) for _ in range(chance.randint(8, 60))) for _ in range(400))
    _write(home / "anecdotes.jsonl", (json.dumps({"text": text}) for text in texts))


def apart(home: Path) -> None:
    """What users have, each with other classes of their own, in two parts, as LEAF writes it."""
    for part, count in (("train", 60), ("test", 20)):
        chance = random.Random(f"apart {part}")
        (home / part).mkdir(parents=True)
        users = [f"user{number}" for number in range(20)]
        kept = {
            user: {
                "x": [[chance.gauss(0, 1) for _ in range(60)] for _ in range(count)],
                "y": [(number + chance.randrange(3)) % 10 for _ in range(count)],
            }
            for number, user in enumerate(users)
        }
        content = {"users": users, "user_data": kept, "num_samples": [count] * len(users)}
        (home / part / "data.json").write_text(json.dumps(content), "utf-8")


def _both_ways(one: int, other: int) -> tuple[str, str]:
    return f"{one}, {other}", f"{other}, {one}"


def _tagged(chance: random.Random) -> list[tuple[str, str]]:
    return [(_word(chance), chance.choice(TAGS)) for _ in range(chance.randint(3, 12))]


def _word(chance: random.Random) -> str:
    return "".join(chance.choices("abcd", k=chance.randint(1, 3)))


def _write(path: Path, rows: Iterable[str]) -> None:
    path.write_text("".join(f"{row}\n" for row in rows), "utf-8")


def timed_choices(home: Path) -> None:
    """What users chose and when: a user, an item, how they liked it and a time a line, between tabs."""
    home.mkdir()
    chance = random.Random("timed_choices")
    rows = (
        f"{user}\t{chance.randint(1, ITEMS)}\t{chance.randint(1, 5)}\t{chance.randrange(1_000_000)}"
        for user in range(1, USERS + 1)
        for _ in range(chance.randint(6, 20))
    )
    _write(home / "choices.txt", rows)


def labelled(home: Path) -> None:
    """Sentences without spaces, each with a list of the tags of its letters, and both alphabets."""
    home.mkdir()
    chance = random.Random("labelled")
    letters = "abcdefghijklmnopqrstuvwxyz"
    lengths = (chance.randint(5, 20) for _ in range(SENTENCES))
    rows = (
        f"{''.join(chance.choices(letters, k=length))}\t{json.dumps(chance.choices(TAGS, k=length))}"
        for length in lengths
    )
    _write(home / "dataset.txt", rows)
    (home / "vocab.json").write_text(json.dumps(list(letters)), "utf-8")
    (home / "tags.json").write_text(json.dumps(list(TAGS)), "utf-8")


def measured(home: Path) -> None:
    """Five numbers that were measured of each of some things, again and again, with the thing's number."""
    home.mkdir()
    chance = random.Random("measured")
    rows = (
        f"{thing},{','.join(f'{chance.gauss(100, 5):.2f}' for _ in range(5))}"
        for thing in range(200)
        for _ in range(10)
    )
    _write(home / "measured.csv", ("Idx,a,b,c,d,e", *rows))


def greetings(home: Path) -> None:
    """Short phrases that begin with `i am`, each with one of another made-up language after a tab."""
    home.mkdir()
    chance = random.Random("greetings")
    phrases = [" ".join(_word(chance) for _ in range(chance.randint(2, 5))) for _ in range(1200)]
    pairs = zip(phrases[::2], phrases[1::2], strict=True)
    _write(home / "pairs.txt", (f"i am {one}\t{other}" for one, other in pairs))


def market(home: Path) -> None:
    """What 81 stocks cost every minute, and an index of them."""
    home.mkdir()
    chance = random.Random("market")
    names = ",".join((*(f"S{number}" for number in range(81)), "NDX"))
    rows = (",".join(f"{chance.gauss(100, 5):.2f}" for _ in range(82)) for _ in range(1200))
    _write(home / "market.csv", (names, *rows))


RECIPES = (
    entities,
    held_out,
    citations,
    surface,
    phrases,
    walks,
    molecules,
    strokes,
    facts,
    parts_of_shapes,
    anecdotes,
    apart,
    timed_choices,
    labelled,
    measured,
    market,
    greetings,
)
