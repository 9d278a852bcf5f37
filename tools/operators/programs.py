"""Small programs for kernels that the operator database does not reach: layers, optimizers, packing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

Program: TypeAlias = Callable[[str], Any]
"""Runs on a device."""


def _trained(make: Callable[[], nn.Module], sizes: tuple[int, ...], device: str) -> None:
    _backward(make().to(device)(torch.randn(sizes).to(device).requires_grad_()))


def _evaluated(make: Callable[[], nn.Module], sizes: tuple[int, ...], device: str) -> None:
    with torch.no_grad():
        make().to(device).eval()(torch.randn(sizes).to(device))


def _packed(make: Callable[[], nn.Module], device: str) -> None:
    inputs = torch.randn(5, 3, 4, requires_grad=True).to(device)
    packed, _ = make().to(device)(pack_padded_sequence(inputs, torch.tensor([5, 3, 2])))
    _backward(pad_packed_sequence(packed))


def _stepped(optimizer: type[torch.optim.Optimizer], options: dict[str, Any], device: str) -> None:
    module = nn.Linear(4, 3).to(device)
    steps = optimizer(module.parameters(), **options)
    for _ in range(2):
        steps.zero_grad()
        _backward(module(torch.ones(2, 4).to(device)))
        nn.utils.clip_grad_norm_(module.parameters(), 1.0)
        nn.utils.clip_grad_value_(module.parameters(), 1.0)
        steps.step()


def _scaled(device: str) -> None:
    module = nn.Linear(4, 3).to(device)
    scaler = torch.amp.GradScaler(device)
    steps = torch.optim.SGD(module.parameters())
    with torch.autocast(device):
        loss = module(torch.ones(2, 4).to(device)).sum()
    scaler.scale(loss).backward()
    scaler.step(steps)
    scaler.update()


def _attended(device: str) -> None:
    attention = nn.MultiheadAttention(8, 2, batch_first=True).to(device).eval()
    query = torch.randn(2, 3, 8).to(device)
    with torch.no_grad():
        attention(query, query, query)
    _backward(attention(query, query, query))


def _embedded(device: str) -> None:
    indices = torch.tensor([[1, 2], [3, 1]]).to(device)
    _backward(nn.Embedding(5, 3, sparse=True).to(device)(indices))
    _backward(nn.Embedding(5, 3, max_norm=1.0).to(device)(indices))
    _backward(nn.EmbeddingBag(5, 3, sparse=True).to(device)(indices))


def _backward(results: Any) -> None:
    for result in results if isinstance(results, tuple) else (results,):
        if isinstance(result, Tensor) and result.requires_grad:
            torch.autograd.backward(result.sum(), retain_graph=True)


def _encoder() -> nn.Module:
    return nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2)


def _weight_normed() -> nn.Module:
    module: nn.Module = nn.utils.parametrizations.weight_norm(nn.Linear(4, 3))
    return module


def _spectral_normed() -> nn.Module:
    return nn.utils.parametrizations.spectral_norm(nn.Linear(4, 3))


_RECURRENT = (nn.RNN, nn.LSTM, nn.GRU)
_CELLS = (nn.RNNCell, nn.LSTMCell, nn.GRUCell)
_OPTIMIZERS = (
    torch.optim.SGD,
    torch.optim.Adam,
    torch.optim.AdamW,
    torch.optim.NAdam,
    torch.optim.RAdam,
    torch.optim.Adamax,
    torch.optim.Adagrad,
    torch.optim.Adadelta,
    torch.optim.RMSprop,
    torch.optim.Rprop,
)
_FUSED = (torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW)

PROGRAMS: dict[str, Program] = {
    **{
        f"{kind.__name__} trained": partial(_trained, partial(kind, 4, 5, 2), (6, 3, 4))
        for kind in _RECURRENT
    },
    **{
        f"{kind.__name__} evaluated": partial(_evaluated, partial(kind, 4, 5), (6, 3, 4))
        for kind in _RECURRENT
    },
    **{f"{kind.__name__} packed": partial(_packed, partial(kind, 4, 5)) for kind in _RECURRENT},
    **{kind.__name__: partial(_trained, partial(kind, 4, 5), (3, 4)) for kind in _CELLS},
    **{f"{kind.__name__} foreach": partial(_stepped, kind, {"foreach": True}) for kind in _OPTIMIZERS},
    **{f"{kind.__name__} for loop": partial(_stepped, kind, {"foreach": False}) for kind in _OPTIMIZERS},
    **{f"{kind.__name__} fused": partial(_stepped, kind, {"fused": True}) for kind in _FUSED},
    "GradScaler": _scaled,
    "TransformerEncoder trained": partial(_trained, _encoder, (2, 3, 8)),
    "TransformerEncoder evaluated": partial(_evaluated, _encoder, (2, 3, 8)),
    "MultiheadAttention": _attended,
    "Embedding": _embedded,
    "weight_norm": partial(_trained, _weight_normed, (3, 4)),
    "spectral_norm": partial(_trained, _spectral_normed, (3, 4)),
}
"""By name."""
