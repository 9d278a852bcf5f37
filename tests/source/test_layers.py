"""The tables of layers say of each class of `torch.nn` whether an object of it has state, and where its
constructor takes `inplace`."""

from __future__ import annotations

import inspect
from itertools import product
from typing import Any

import pytest

from devlint.source.machine.modules.layers import HOLDERS_OF_PARAMETERS, IN_PLACE_AT, STATEFUL

torch = pytest.importorskip("torch")

_TRIED = [arguments for count in range(5) for arguments in product((2, 1), repeat=count)]
_ARGUMENTS = {
    "AdaptiveLogSoftmaxWithLoss": (4, 6, [2]),
    "ChannelShuffle": (2,),
    "FractionalMaxPool2d": (2, 1),
    "FractionalMaxPool3d": (2, 1),
    "RNNBase": ("LSTM", 2, 2),
    "RNNCellBase": (2, 2, True, 4),
    "TransformerDecoder": (torch.nn.TransformerDecoderLayer(2, 1), 1),
    "TransformerEncoder": (torch.nn.TransformerEncoderLayer(2, 1), 1),
    "Transformer": (2, 1, 1, 1),
    "Unflatten": (1, (2, 2)),
}
"""What some are made with; of the others, the first few numbers do."""
_KNOWN_OUTSIDE = {name.removeprefix("torch.nn.") for name in HOLDERS_OF_PARAMETERS}
_CLASSES = {
    name: each
    for name, each in vars(torch.nn).items()
    if inspect.isclass(each) and issubclass(each, torch.nn.Module) and name not in _KNOWN_OUTSIDE
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(_CLASSES.keys() - {"DataParallel"}))
def test_a_layer_has_state_as_the_table_says(name: str) -> None:
    layer = _made(name)
    has_state = any(True for _ in (*layer.parameters(), *layer.buffers()))
    assert has_state is (name in STATEFUL)


def test_the_table_says_where_a_layer_takes_that_it_works_in_place() -> None:
    taken = ((name, list(inspect.signature(each).parameters)) for name, each in _CLASSES.items())
    assert {name: names.index("inplace") for name, names in taken if "inplace" in names} == IN_PLACE_AT


def _made(name: str) -> Any:
    for arguments in [_ARGUMENTS[name]] if name in _ARGUMENTS else _TRIED:
        try:
            return _CLASSES[name](*arguments)
        except (TypeError, ValueError, AssertionError):  # noqa: PERF203
            continue
    raise AssertionError(f"none of the arguments make a {name}")
