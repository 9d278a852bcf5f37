"""Inputs to check: programs that are mutated, notebooks and configurations, from a seed."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tests.source.programs import programs

PIECES = (
    *(
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ":",
        ",",
        ";",
        "\\",
        "\n",
        "\r",
        "\t",
        "\x0c",
        " ",
        "    ",
        "#",
    ),
    *(
        "'",
        '"',
        '"""',
        "f'{",
        "t'",
        "rb'",
        "async ",
        "await ",
        "yield ",
        "lambda x: ",
        "*",
        "**",
    ),
    *(
        "->",
        "@",
        ":=",
        "=",
        "==",
        "...",
        "if x:\n",
        "else:\n",
        "try:\n",
        "except* E:\n",
    ),
    *(
        "match x:\n",
        "case _:\n",
        "with a as b:\n",
        "class A:\n",
        "def f(a, /, *b, c=1):\n",
    ),
    *(
        "import torch\n",
        "from . import x\n",
        "type A[T] = T\n",
        "global x\n",
        "del x\n",
    ),
    *(
        "torch.ones(2)",
        ".cuda()",
        ".item()",
        ".to('cuda')",
        "for x in y:\n",
        "while 1:\n",
    ),
    *(
        "return x\n",
        "0x",
        "1e",
        "# devlint: ignore[DL101]",
        "# noqa",
        "# devlint: skip-file\n",
    ),
    *(
        "\x00",
        "\ufeff",
        "\u2028",
        "\xe9",
        "\ud800",
    ),
)
KEYS = (
    *(
        "select",
        "ignore",
        "exclude",
        "per-file-ignores",
        "confidence",
        "baseline",
        "own",
        "fix",
    ),
    *(
        "tool",
        "x",
        "",
    ),
)
VALUES = (
    *(
        '"ALL"',
        '["DL1"]',
        "[]",
        "{}",
        "1",
        "true",
        '"**/*[a-"',
        '["!"]',
        "1e9",
        '"\\u0000"',
        "[[1]]",
    ),
    *("{ a = 1 }",),
)
JUNK: tuple[object, ...] = (
    *(
        None,
        True,
        -1,
        1e308,
        "",
        "code",
        "import torch\n",
        "%%bash\n",
        [],
        {},
        ["x = 1\n", 2],
    ),
    *(
        "\x00",
        "\ud800",
    ),
)


class Input(NamedTuple):
    """What is checked: the name of its file, and what that holds."""

    kind: str
    name: str
    data: bytes


Maker = Callable[[random.Random, list[str]], Input]


def inputs(seed: int) -> Iterator[Input]:
    """Inputs without end, the same for one seed."""
    chance = random.Random(seed)
    known = [text for text in programs() if len(text) < 4000]
    makers: tuple[Callable[[random.Random, list[str]], Input], ...] = (
        _program,
        _program,
        _notebook,
        _settings,
    )
    while True:
        yield chance.choice(makers)(chance, known)


def _program(chance: random.Random, known: list[str]) -> Input:
    text = _mutated(chance, chance.choice(known), known)
    data = text.encode("utf-8", "surrogatepass")
    if chance.random() < 0.05:
        at = chance.randrange(len(data) + 1)
        data = data[:at] + bytes([chance.randrange(256)]) + data[at:]
    return Input("program", "fuzzed.py", data)


def _mutated(chance: random.Random, text: str, known: list[str]) -> str:
    for _ in range(chance.randint(1, 4)):
        at, until = sorted(chance.randrange(len(text) + 1) for _ in range(2))
        until = min(until, at + 40)
        kind = chance.randrange(5)
        if kind == 0:
            text = text[:at] + chance.choice(PIECES) + text[at:]
        elif kind == 1:
            text = text[:at] + text[until:]
        elif kind == 2:
            text = text[:at] + text[at:until] * chance.randint(2, 5) + text[until:]
        elif kind == 3:
            text = text[:at] + chance.choice(PIECES) + text[until:]
        else:
            text = _spliced(chance, text, chance.choice(known))
    return text


def _spliced(chance: random.Random, text: str, other: str) -> str:
    """The first lines of one text, and the last of another."""
    lines, others = text.splitlines(keepends=True), other.splitlines(keepends=True)
    return "".join((*lines[: chance.randrange(len(lines) + 1)], *others[chance.randrange(len(others) + 1) :]))


def _notebook(chance: random.Random, known: list[str]) -> Input:
    cells: list[object] = [
        {"cell_type": chance.choice(("code", "code", "markdown", 7)), "source": _source(chance, known)}
        if chance.random() < 0.8
        else chance.choice(JUNK)
        for _ in range(chance.randint(0, 3))
    ]
    document = {"cells": cells, "metadata": chance.choice(JUNK), "nbformat": chance.choice((4, 4, 3, None))}
    return Input("notebook", "fuzzed.ipynb", json.dumps(document).encode())


def _source(chance: random.Random, known: list[str]) -> object:
    if chance.random() < 0.2:
        return chance.choice(JUNK)
    text = _mutated(chance, chance.choice(known), known)
    return text if chance.random() < 0.5 else text.splitlines(keepends=True)


def _settings(chance: random.Random, _: list[str]) -> Input:
    lines = [
        chance.choice((f"{key} = {chance.choice(VALUES)}", f"[{key}]", f'"{key}" = [', key))
        for key in chance.choices(KEYS, k=chance.randint(1, 4))
    ]
    return Input("configuration", "devlint.toml", "\n".join(lines).encode())
