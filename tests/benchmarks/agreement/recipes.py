"""Generates the data files that the programs read: those of the other benchmark, and more."""

from __future__ import annotations

import gzip
import random
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.benchmarks.agreement.arrays import RECIPES as ARRAYS
from tests.benchmarks.agreement.arrays import header
from tests.benchmarks.agreement.configurations import DETECTOR, configurations
from tests.benchmarks.agreement.pickles import RECIPES as PICKLES
from tests.benchmarks.agreement.pictures import RECIPES as PICTURES
from tests.benchmarks.agreement.tables import RECIPES as TABLES
from tests.benchmarks.agreement.various import RECIPES as VARIOUS
from tests.benchmarks.programs.data import RECIPES as WHOLE_PROGRAMS
from tests.benchmarks.programs.data import png

HOURS = 15_000
SENTENCES, WORDS = 400, 120
USERS, ITEMS = 120, 60
PHOTOGRAPHS, GRAPHS = 48, 188
POINTS = 96
CATEGORIES = 20
"""How many values a category has: the first rows of a table have them all."""


def enwik8(home: Path) -> None:
    """A long text, compressed."""
    home.mkdir()
    chance = random.Random("enwik8")
    with gzip.GzipFile(home / "enwik8.gz", "wb", mtime=0) as file:
        for _ in range(3000):
            file.write(bytes(chance.choices(b"abcdefghijklmnopqrstuvwxyz     ", k=1000)))


def hours(home: Path) -> None:
    """Seven series by the hour, with their dates, as ETT is laid out; and eight without."""
    home.mkdir()
    chance = random.Random("hours")
    names = ("HUFL", "HULL", "MUFL", "MULL", "LUFL", "LULL", "OT")
    with (home / "ETTh1.csv").open("w", encoding="utf-8") as file:
        file.write(f"date,{','.join(names)}\n")
        for date in _dates(HOURS):
            file.write(f"{date},{','.join(f'{chance.gauss(0, 1):.3f}' for _ in names)}\n")
    rows = (",".join(f"{chance.random():.4f}" for _ in range(8)) for _ in range(HOURS))
    (home / "series.txt").write_text("\n".join(rows) + "\n", "utf-8")


def tagged(home: Path) -> None:
    """Sentences of made-up words, each with its tag after a slash."""
    home.mkdir()
    chance = random.Random("tagged")
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=4)) for _ in range(WORDS)]
    with (home / "train.txt").open("w", encoding="utf-8") as file:
        for length in (chance.randint(4, 14) for _ in range(SENTENCES)):
            tags = zip(chance.choices(words, k=length), chance.choices("BIO", k=length), strict=True)
            file.write(f"{' '.join('/'.join(tagged) for tagged in tags)}\n")


def interactions(home: Path) -> None:
    """What users chose, in order: a user's number and an item's number a line."""
    home.mkdir()
    chance = random.Random("interactions")
    rows = (
        f"{user} {chance.randint(1, ITEMS)}"
        for user in range(1, USERS + 1)
        for _ in range(chance.randint(6, 20))
    )
    (home / "choices.txt").write_text("\n".join(rows) + "\n", "utf-8")


def clicks(home: Path) -> None:
    """Tables of 16 categories, 63 numbers and two labels a row, for training and for testing."""
    home.mkdir()
    names = ["row", *(f"c{n}" for n in range(16)), *(f"n{n}" for n in range(63)), "click", "conversion"]
    for part, count in (("train", 640), ("test", 128)):
        chance = random.Random(f"clicks {part}")
        with (home / f"{part}.csv").open("w", encoding="utf-8") as file:
            file.write(f"{','.join(names)}\n")
            for row in range(count):
                categories = (
                    [row % CATEGORIES] * 16 if row < CATEGORIES else chance.choices(range(CATEGORIES), k=16)
                )
                numbers = [f"{chance.random():.3f}" for _ in range(63)]
                labels = chance.choices((0, 1), k=2)
                file.write(f"{','.join(map(str, [row, *categories, *numbers, *labels]))}\n")


def masked(home: Path) -> None:
    """Colour photographs of noise, each with a grey mask, numbered in pairs."""
    home.mkdir()
    chance = random.Random("masked")
    for number in range(PHOTOGRAPHS):
        (home / f"{number:03}.png").write_bytes(png(64, 64, chance))
        (home / f"{number:03}_mask.png").write_bytes(png(64, 64, chance, grey=True))


def facades(home: Path) -> None:
    """Colour photographs of noise in two styles, `a` and `b`, for training and for testing."""
    chance = random.Random("facades")
    for place in ("train/a", "train/b", "test/a", "test/b"):
        folder = home / place
        folder.mkdir(parents=True)
        for number in range(PHOTOGRAPHS // 2):
            (folder / f"{number:03}.png").write_bytes(png(64, 64, chance))


def lesions(home: Path) -> None:
    """Colour photographs of noise in three folders, their grey masks in three more, as ISIC names them."""
    chance = random.Random("lesions")
    for part in ("train", "valid", "test"):
        pictures, masks = home / part, home / f"{part}_GT"
        pictures.mkdir(parents=True)
        masks.mkdir()
        for number in range(PHOTOGRAPHS // 2):
            (pictures / f"ISIC_{number:03}.jpg").write_bytes(png(64, 64, chance))
            (masks / f"ISIC_{number:03}_segmentation.png").write_bytes(png(64, 64, chance, grey=True))


def clouds(home: Path) -> None:
    """Points with their normals, a file a shape, of ten classes, as ModelNet10 is laid out."""
    home.mkdir()
    chance = random.Random("clouds")
    classes = [f"shape{number}" for number in range(10)]
    (home / "modelnet10_shape_names.txt").write_text("\n".join(classes) + "\n", "utf-8")
    for part, first, count in (("train", 0, 8), ("test", 8, 2)):
        names = [f"{name}_{number:04}" for name in classes for number in range(first, first + count)]
        (home / f"modelnet10_{part}.txt").write_text("\n".join(names) + "\n", "utf-8")
        for name in names:
            points = (",".join(f"{chance.gauss(0, 1):.4f}" for _ in range(6)) for _ in range(POINTS))
            folder = home / name.partition("_")[0]
            folder.mkdir(exist_ok=True)
            (folder / f"{name}.txt").write_text("\n".join(points) + "\n", "utf-8")


def headlines(home: Path) -> None:
    """Made-up headlines, each with the number of its class after a tab."""
    home.mkdir()
    for part, count in (("train", 2000), ("dev", 300), ("test", 300)):
        chance = random.Random(f"headlines {part}")
        rows = (f"{''.join(chance.choices('abcdefghij', k=20))}\t{number % 10}" for number in range(count))
        (home / f"{part}.txt").write_text("".join(f"{row}\n" for row in rows), "utf-8")


def vectors(home: Path) -> None:
    """A made-up word and its vector a line."""
    home.mkdir()
    chance = random.Random("vectors")
    rows = ((f"word{number}", *(f"{chance.gauss(0, 1):.3f}" for _ in range(8))) for number in range(WORDS))
    (home / "vectors.txt").write_text("".join(f"{' '.join(row)}\n" for row in rows), "utf-8")


def long_text(home: Path) -> None:
    """A text of 95 million bytes, the same lines again and again, compressed."""
    home.mkdir()
    lines = random.Random("long_text").choices(b"abcdefghijklmnopqrstuvwxyz     ", k=20_000)
    with gzip.GzipFile(home / "enwik8.gz", "wb", mtime=0) as file:
        for _ in range(95_000_000 // len(lines)):
            file.write(bytes(lines))


def speeds(home: Path) -> None:
    """How fast the cars are at 228 places, every five minutes."""
    home.mkdir()
    chance = random.Random("speeds")
    rows = (",".join(f"{chance.gauss(60, 9):.2f}" for _ in range(228)) for _ in range(400))
    places = ",".join(f"p{number}" for number in range(228))
    (home / "vel.csv").write_text("".join(f"{row}\n" for row in (places, *rows)), "utf-8")


def digits(home: Path) -> None:
    """Small grey pictures of noise in ten folders, which have their classes' numbers for names."""
    chance = random.Random("digits")
    for number in range(10):
        folder = home / str(number)
        folder.mkdir(parents=True)
        for picture in range(60):
            (folder / f"{picture}.png").write_bytes(png(28, 28, chance, grey=True))


def static_digits(home: Path) -> None:
    """Digits of black and white pixels in three parts, the pixels of one digit a line."""
    home.mkdir()
    for part, count in (("train", 400), ("valid", 100), ("test", 100)):
        chance = random.Random(f"static_digits {part}")
        rows = (" ".join(chance.choices("01", k=28 * 28)) for _ in range(count))
        (home / f"binarized_mnist_{part}.amat").write_text("".join(f"{row}\n" for row in rows), "utf-8")


def spoken(home: Path) -> None:
    """What a speaker said, line by line, and a spectrogram of each line, as LJSpeech is laid out."""
    (home / "mels").mkdir(parents=True)
    chance = random.Random("spoken")
    with (home / "metadata.csv").open("w", encoding="utf-8") as file:
        for number in range(SENTENCES):
            said = "".join(chance.choices("abcdefghij ", k=chance.randint(20, 40)))
            file.write(f"line{number}|{said}|{said}\n")
            frames = chance.randint(20, 40)
            with (home / f"mels/line{number}.npy").open("wb") as spectrogram:
                spectrogram.write(header((frames, 80)))
                spectrogram.write(
                    struct.pack(f"<{80 * frames}f", *(chance.random() for _ in range(80 * frames)))
                )


def baskets(home: Path) -> None:
    """What users chose: a user's number and the numbers of items a line, for training and for testing."""
    home.mkdir()
    for part, count in (("train", 12), ("test", 3)):
        chance = random.Random(f"baskets {part}")
        rows = (" ".join(map(str, (user, *chance.sample(range(ITEMS), k=count)))) for user in range(USERS))
        (home / f"{part}.txt").write_text("".join(f"{row}\n" for row in rows), "utf-8")


def ratings(home: Path) -> None:
    """What users like: a user, an item and a 1 a line; and all of these once more with a time."""
    home.mkdir()
    chance = random.Random("ratings")
    rows = [
        (user, item) for user in range(1, USERS + 1) for item in chance.sample(range(1, 10 * ITEMS), k=30)
    ]
    for part, chosen in (("train", rows), ("test", rows[::5])):
        (home / f"{part}.txt").write_text("".join(f"{user} {item} 1\n" for user, item in chosen), "utf-8")
    timed = (f"{user}::{item}::1::{time}\n" for time, (user, item) in enumerate(rows))
    (home / "ratings.dat").write_text("".join(timed), "utf-8")


def boxed(home: Path) -> None:
    """Photographs of noise, each with two boxes, their list, and a small network in Darknet's format."""
    chance = random.Random("boxed")
    for folder in ("images", "labels"):
        (home / folder).mkdir(parents=True)
    for number in range(PHOTOGRAPHS):
        (home / f"images/{number:03}.png").write_bytes(png(64, 64, chance))
        rows = (f"{chance.randrange(20)} {chance.uniform(0.3, 0.7):.3f} 0.5 0.3 0.4\n" for _ in range(2))
        (home / f"labels/{number:03}.txt").write_text("".join(rows), "utf-8")
    listed = "".join(f"{home.name}/images/{number:03}.png\n" for number in range(PHOTOGRAPHS))
    (home / "pictures.txt").write_text(listed, "utf-8")
    pictures = f"{home.name}/pictures.txt"
    options = f"train = {pictures}\nvalid = {pictures}\nbackup = {home.name}\ngpus = 0\nnum_workers = 0\n"
    (home / "boxes.data").write_text(options, "utf-8")
    (home / "small.cfg").write_text(DETECTOR, "utf-8")


def few_shots(home: Path) -> None:
    """Colour photographs of noise in one folder, with tables of their classes, as mini-ImageNet has."""
    (home / "images").mkdir(parents=True)
    chance = random.Random("few_shots")
    for part, classes in (("train", 8), ("val", 6)):
        rows = ["filename,label"]
        for label in range(classes):
            for number in range(20):
                name = f"{part}{label}_{number:02}.jpg"
                (home / "images" / name).write_bytes(png(48, 48, chance))
                rows.append(f"{name},{part}{label}")
        (home / f"{part}.csv").write_text("".join(f"{row}\n" for row in rows), "utf-8")


def sensors(home: Path) -> None:
    """What 25 sensors of a server say every minute, in two parts, and which minutes of the second are odd."""
    home.mkdir()
    chance = random.Random("sensors")
    names = ",".join(f"feature_{number}" for number in range(25))
    for part in ("train", "test"):
        rows = (
            f"{minute},{','.join(f'{chance.gauss(0, 1):.3f}' for _ in range(25))}" for minute in range(400)
        )
        (home / f"{part}.csv").write_text("".join(f"{row}\n" for row in (f"time,{names}", *rows)), "utf-8")
    labels = (f"{minute},{int(minute % 40 == 0)}" for minute in range(400))
    (home / "test_label.csv").write_text("".join(f"{row}\n" for row in ("time,label", *labels)), "utf-8")


def languages(home: Path) -> None:
    """Vectors of the words of two languages, with a first line that counts them, and a dictionary of both."""
    home.mkdir()
    for language in ("en", "es"):
        chance = random.Random(f"languages {language}")
        rows = (
            " ".join((f"{language}{number}", *(f"{chance.gauss(0, 1):.4f}" for _ in range(32))))
            for number in range(2000)
        )
        (home / f"{language}.vec").write_text("".join(f"{row}\n" for row in ("2000 32", *rows)), "utf-8")
    pairs = "".join(f"en{number} es{number}\n" for number in range(300))
    (home / "en-es.txt").write_text(pairs, "utf-8")


def graphs(home: Path) -> None:
    """Small graphs of two classes; a node's line has its tag, how many neighbours it has, and these."""
    home.mkdir()
    chance = random.Random("graphs")
    lines = [str(GRAPHS)]
    for number in range(GRAPHS):
        size = chance.randint(8, 16)
        lines.append(f"{size} {number % 2}")
        lines += (f"{chance.randrange(5)} 2 {(node - 1) % size} {(node + 1) % size}" for node in range(size))
    (home / "MUTAG.txt").write_text("\n".join(lines) + "\n", "utf-8")


def sessions(home: Path) -> None:
    """What visitors of a shop looked at, visit by visit: a visit, an item and a time a line."""
    home.mkdir()
    chance = random.Random("sessions")
    rows = (
        f"{visit},{chance.randrange(ITEMS)},{1000.0 * visit + moment}"
        for visit in range(4 * USERS)
        for moment in range(chance.randint(3, 9))
    )
    (home / "sessions.csv").write_text(
        "".join(f"{row}\n" for row in ("SessionID,ItemID,Time", *rows)), "utf-8"
    )


def stocks(home: Path) -> None:
    """What eight stocks cost every minute, and an index of them."""
    home.mkdir()
    chance = random.Random("stocks")
    names = ",".join((*(f"S{number}" for number in range(8)), "NDX"))
    rows = (",".join(f"{chance.gauss(100, 5):.2f}" for _ in range(9)) for _ in range(600))
    (home / "stocks.csv").write_text("".join(f"{row}\n" for row in (names, *rows)), "utf-8")


def knowledge(home: Path) -> None:
    """What users chose, as `baskets` lays it out, and what is known of the items: item, relation, thing."""
    baskets(home)
    chance = random.Random("knowledge")
    rows = (
        f"{item} {chance.randrange(4)} {ITEMS + chance.randrange(40)}"
        for item in range(ITEMS)
        for _ in range(5)
    )
    (home / "kg_final.txt").write_text("".join(f"{row}\n" for row in rows), "utf-8")


def empty(home: Path) -> None:
    """A folder that has to be there."""
    home.mkdir()
    (home / "empty").write_text("", "utf-8")


def _dates(count: int) -> Iterator[str]:
    for hour in range(count):
        day, of_day = divmod(hour, 24)
        month, of_month = divmod(day, 28)
        year, of_year = divmod(month, 12)
        yield f"{2016 + year}-{of_year + 1:02}-{of_month + 1:02} {of_day:02}:00:00"


RECIPES: dict[str, Callable[[Path], None]] = {
    **WHOLE_PROGRAMS,
    **{
        recipe.__name__: recipe
        for recipe in (
            *ARRAYS,
            *PICKLES,
            *PICTURES,
            *TABLES,
            *VARIOUS,
            enwik8,
            hours,
            tagged,
            interactions,
            clicks,
            masked,
            facades,
            lesions,
            clouds,
            headlines,
            vectors,
            long_text,
            speeds,
            digits,
            static_digits,
            spoken,
            baskets,
            few_shots,
            sensors,
            languages,
            ratings,
            boxed,
            configurations,
            graphs,
            sessions,
            stocks,
            knowledge,
            empty,
        )
    },
}
