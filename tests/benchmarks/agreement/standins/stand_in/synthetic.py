"""Small made-up data in the place of torchvision's data sets, whatever folder a program names."""

from __future__ import annotations

import importlib.util
import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

TRAIN, TEST = int(os.environ.get("PROGRAM_PICTURES", "640")), 128
"""How many pictures there are to train and to test on."""


@cache
def install() -> None:
    """Make torchvision importable next to a CPU's torch, and let its data sets need no download."""
    package = importlib.util.find_spec("torchvision")
    if package is None or package.origin is None:
        return
    _declare_operators(Path(package.origin).parent)
    from torchvision import datasets, models, transforms, utils  # noqa: PLC0415

    transforms.Scale = transforms.Resize  # type: ignore[attr-defined]

    models.WeightsEnum.get_state_dict = _as_they_are  # type: ignore[method-assign]
    load_state = torch.nn.Module.load_state_dict

    def load(self: torch.nn.Module, state_dict: Any, *arguments: Any, **options: Any) -> Any:
        if isinstance(state_dict, AsTheyAre):
            return None
        return load_state(self, state_dict, *arguments, **options)

    torch.nn.Module.load_state_dict = load  # type: ignore[method-assign,assignment]

    make_grid = utils.make_grid

    def grid(*arguments: Any, **options: Any) -> Any:
        if "range" in options:
            options["value_range"] = options.pop("range")
        return make_grid(*arguments, **options)

    utils.make_grid = grid

    for name, (shape, classes) in SHAPES.items():
        kept = getattr(datasets, name)
        setattr(datasets, name, _standin(name, kept, shape, classes))
    for module, name in (
        (datasets.mnist, "MNIST"),
        (datasets.mnist, "FashionMNIST"),
        (datasets.cifar, "CIFAR10"),
        (datasets.cifar, "CIFAR100"),
    ):
        setattr(module, name, getattr(datasets, name))


class AsTheyAre(dict[str, Any]):
    """Weights that would have to be downloaded: a model that loads them keeps its own."""


def _as_they_are(*_: Any, **__: Any) -> AsTheyAre:
    return AsTheyAre()


SHAPES: dict[str, tuple[tuple[int, ...], int]] = {
    "MNIST": ((28, 28), 10),
    "FashionMNIST": ((28, 28), 10),
    "KMNIST": ((28, 28), 10),
    "CIFAR10": ((32, 32, 3), 10),
    "CIFAR100": ((32, 32, 3), 100),
    "SVHN": ((3, 32, 32), 10),
    "STL10": ((3, 96, 96), 10),
}
"""The shape of a picture in each data set's array, and how many classes it has."""


def _standin(name: str, kept: Any, shape: tuple[int, ...], classes: int) -> Any:
    """A subclass of a data set that makes pixels of noise in place of reading files."""
    plain = name in ("MNIST", "FashionMNIST", "KMNIST")
    by_split = name in ("SVHN", "STL10")

    def __init__(self: Any, root: Any = "data", *arguments: Any, **options: Any) -> None:  # noqa: N807
        names = (
            ("split", "folds", "transform", "target_transform")
            if name == "STL10"
            else ("split" if by_split else "train", "transform", "target_transform", "download")
        )
        values = {**dict(zip(names, arguments, strict=False)), **options}
        self.root, self.transform, self.target_transform = (
            root,
            values.get("transform"),
            values.get("target_transform"),
        )
        self.transforms = None
        self.train = values.get("train", True) if not by_split else values.get("split", "train") != "test"
        self.split = values.get("split", "train")
        count = TRAIN if self.train else TEST
        chance = np.random.RandomState(7)
        pixels = chance.randint(0, 256, (count, *shape)).astype(np.uint8)
        labels = np.arange(count) % classes
        self.data = torch.from_numpy(pixels) if plain else pixels
        self.targets = torch.from_numpy(labels) if plain else labels.tolist()
        self.labels = labels
        self.train_data, self.train_labels = self.data, self.targets
        self.test_data, self.test_labels = self.data, self.targets
        self.classes = [str(label) for label in range(classes)]

    former = {f"{part}_{what}": None for part in ("train", "test") for what in ("data", "labels")}
    return type(name, (kept,), {**former, "__init__": __init__, "__len__": lambda self: len(self.data)})


def _declare_operators(package: Path) -> None:
    """Declare two operators that torchvision describes, where its compiled part does not fit this torch."""
    try:
        for compiled in package.glob("_C*.so"):
            torch.classes.load_library(str(compiled))
    except OSError:
        for operator in ("nms", "qnms"):
            torch.library.define(f"torchvision::{operator}", "(Tensor a, Tensor b, float c) -> Tensor")
