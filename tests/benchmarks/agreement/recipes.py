"""Generates the data files that the programs read: those of the other benchmark, and more."""

from __future__ import annotations

import gzip
import math
import random
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.benchmarks.programs.data import RECIPES as WHOLE_PROGRAMS
from tests.benchmarks.programs.data import png

HOURS = 15_000
SENTENCES, WORDS = 400, 120
USERS, ITEMS = 120, 60
PHOTOGRAPHS, GRAPHS = 48, 188
POINTS = 96
CATEGORIES = 20
"""How many values a category has: the first rows of a table have them all."""

ADVERSARIES = """\
data: {type: cifar10, train_dir: data, img_size: 32, nlabels: 10}
generator: {name: resnet, kwargs: {nfilter: 8, nfilter_max: 16, embed_size: 1}}
discriminator: {name: resnet, kwargs: {nfilter: 8, nfilter_max: 16, embed_size: 1}}
z_dist: {type: gauss, dim: 16}
training: {out_dir: output, batch_size: 8, nworkers: 0, sample_nlabels: 2}
test: {batch_size: 4, sample_size: 6, sample_nrow: 3}
interpolations: {nzs: 10, nsubsteps: 75}
"""
HALVED = """\
[convolutional]
batch_normalize=1
filters=8
size=3
stride=2
pad=1
activation=leaky

"""
DETECTOR = f"""\
[net]
batch=4
width=416
height=416
channels=3
momentum=0.9
decay=0.0005
learning_rate=0.001
max_batches=100
steps=-1,100
scales=.1,10

{5 * HALVED}
[convolutional]
size=1
stride=1
pad=1
filters=125
activation=linear

[region]
anchors = 1.08,1.19,  3.42,4.41,  6.63,11.38,  9.42,5.11,  16.62,10.52
classes=20
coords=4
num=5
object_scale=5
noobject_scale=1
class_scale=1
coord_scale=1
thresh=.6
rescore=1
"""
DIFFUSION = """\
data: {dataset: CIFAR10, image_size: 32, channels: 3, logit_transform: false, uniform_dequantization: false,
  gaussian_dequantization: false, random_flip: true, rescaled: true, num_workers: 0}
model: {type: simple, in_channels: 3, out_ch: 3, ch: 32, ch_mult: [1, 2], num_res_blocks: 1,
  attn_resolutions: [16], dropout: 0.1, var_type: fixedlarge, ema_rate: 0.9999, ema: true,
  resamp_with_conv: true}
diffusion: {beta_schedule: linear, beta_start: 0.0001, beta_end: 0.02, num_diffusion_timesteps: 1000}
training: {batch_size: 4, n_epochs: 2, n_iters: 5000, snapshot_freq: 5000, validation_freq: 2000}
sampling: {batch_size: 4, last_only: true}
optim: {weight_decay: 0.0, optimizer: Adam, lr: 0.0002, beta1: 0.9, amsgrad: false, eps: 0.00000001,
  grad_clip: 1.0}
"""


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


def omniglot(home: Path) -> None:
    """Characters as one array of 1,200 classes of 20 pictures, in NumPy's format."""
    home.mkdir()
    chance = random.Random("omniglot")
    shape = (1300, 20, 1, 28, 28)
    one = struct.pack("<784f", *(chance.random() for _ in range(784)))
    with (home / "omniglot.npy").open("wb") as file:
        file.write(_header(shape))
        for _ in range(1300 * 20):
            file.write(one)


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


def utterances(home: Path) -> None:
    """Spectrograms of what speakers said, an array in NumPy's format a speaker."""
    home.mkdir()
    chance = random.Random("utterances")
    shape = (6, 40, 180)
    numbers = [chance.gauss(0, 1) for _ in range(math.prod(shape))]
    for speaker in range(12):
        with (home / f"speaker{speaker}.npy").open("wb") as file:
            file.write(_header(shape))
            file.write(struct.pack(f"<{len(numbers)}f", *numbers))


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
                spectrogram.write(_header((frames, 80)))
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


def configurations(home: Path) -> None:
    """Files of options: those of a generator and a discriminator, and those of a diffusion, both small."""
    home.mkdir()
    (home / "adversaries.yaml").write_text(ADVERSARIES, "utf-8")
    (home / "diffusion.yml").write_text(DIFFUSION, "utf-8")


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


def empty(home: Path) -> None:
    """A folder that has to be there."""
    home.mkdir()
    (home / "empty").write_text("", "utf-8")


def _header(shape: tuple[int, ...]) -> bytes:
    """How NumPy's format begins, for numbers of four bytes."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode("latin-1")


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
            enwik8,
            hours,
            omniglot,
            tagged,
            interactions,
            clicks,
            masked,
            facades,
            lesions,
            clouds,
            utterances,
            headlines,
            vectors,
            long_text,
            speeds,
            digits,
            spoken,
            baskets,
            ratings,
            boxed,
            configurations,
            graphs,
            empty,
        )
    },
}
