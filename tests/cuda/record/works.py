"""Training steps and a decoding loop, written as their users write them: what costs are measured on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import torch
from torch import Tensor, nn
from torch.nn import functional

Work: TypeAlias = Callable[[], object]
"""One step, or one decoding."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How large the works are: so that a GPU has enough to do, or so that a rehearsal ends soon."""

    images: int
    pixels: int
    width: int
    sequences: int
    tokens: int
    layers: int
    decoded: int


FULL = Scale(images=64, pixels=128, width=64, sequences=16, tokens=512, layers=8, decoded=64)
TINY = Scale(images=2, pixels=16, width=4, sequences=2, tokens=8, layers=1, decoded=4)


class Block(nn.Module):
    """Two convolutions and a way around them."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False),
            nn.BatchNorm2d(outputs),
            nn.ReLU(),
            nn.Conv2d(outputs, outputs, 3, padding=1, bias=False),
            nn.BatchNorm2d(outputs),
        )
        self.around = nn.Conv2d(inputs, outputs, 1, stride, bias=False)

    def forward(self, images: Tensor) -> Tensor:
        """The block's output."""
        return functional.relu(self.body(images) + self.around(images))


def residual_network(scale: Scale) -> Work:
    """A training step of a residual network of eight blocks, with SGD."""
    widths = [scale.width * factor for factor in (1, 1, 1, 2, 2, 4, 4, 8, 8)]
    blocks = [Block(inputs, outputs, 1 + (inputs != outputs)) for inputs, outputs in pairwise(widths)]
    ends = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(widths[-1], 1000)]
    model = nn.Sequential(nn.Conv2d(3, scale.width, 7, 2, padding=3), *blocks, *ends).to("cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    images = torch.randn(scale.images, 3, scale.pixels, scale.pixels, device="cuda")
    labels = torch.randint(1000, (scale.images,), device="cuda")

    def step() -> Tensor:
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(images), labels)
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        return loss

    return step


def transformer(scale: Scale) -> Work:
    """A training step of a transformer encoder, with AdamW."""
    width = scale.width * 8
    layer = nn.TransformerEncoderLayer(width, 8, width * 4, batch_first=True)
    model = nn.Sequential(
        nn.Embedding(1000, width),
        nn.TransformerEncoder(layer, scale.layers, enable_nested_tensor=False),
        nn.Linear(width, 1000),
    ).to("cuda")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    tokens = torch.randint(1000, (scale.sequences, scale.tokens), device="cuda")

    def step() -> Tensor:
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        return loss

    return step


class Decoder(nn.Module):
    """A decoder that keeps the keys and values of what it has read."""

    def __init__(self, width: int, layers: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(1000, width)
        self.mix = nn.ModuleList(nn.Linear(width, 3 * width) for _ in range(layers))
        self.feed = nn.ModuleList(
            nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
            for _ in range(layers)
        )
        self.head = nn.Linear(width, 1000)

    def forward(self, token: Tensor, kept: list[list[Tensor]]) -> Tensor:
        """The logits of the next token; adds what was read to `kept`."""
        states = self.embedding(token)
        for mix, feed, past in zip(self.mix, self.feed, kept, strict=True):
            query, key, value = mix(states).chunk(3, -1)
            past[:] = (torch.cat([past[0], key], 1), torch.cat([past[1], value], 1)) if past else (key, value)
            states = states + functional.scaled_dot_product_attention(query, past[0], past[1])
            states = states + feed(states)
        logits: Tensor = self.head(states)
        return logits


def decoding(scale: Scale) -> Work:
    """Greedy decoding with a cache, which never asks for a value."""
    model = Decoder(scale.width * 8, scale.layers).to("cuda").eval()
    start = torch.zeros(scale.sequences, 1, dtype=torch.long, device="cuda")

    @torch.no_grad()
    def decode() -> Tensor:
        kept: list[list[Tensor]] = [[] for _ in model.mix]
        token, said = start, []
        for _ in range(scale.decoded):
            token = model(token, kept)[:, -1:].argmax(-1)
            said.append(token)
        return torch.cat(said, 1)

    return decode


def waiting_loop(scale: Scale) -> Work:
    """A training step that waits and copies as users' steps do: devlint reports the lines marked so."""
    model, optimizer, images, labels = _classifier(scale)
    weights = torch.ones(1000)
    history: list[float] = []

    def step() -> None:
        optimizer.zero_grad()
        logits = model(images)
        weight = weights.to("cuda")  # found
        losses = functional.cross_entropy(logits, labels, weight, reduction="none")
        if torch.isnan(losses).any():  # found
            raise FloatingPointError
        loss = losses[losses > 0].mean()  # found
        loss.backward()  # type: ignore[no-untyped-call]  # found
        optimizer.step()
        history.append(loss.item())  # found
        history.append((logits.argmax(1) == labels).float().mean().item())  # found

    return step


def mended_loop(scale: Scale) -> Work:
    """The same step with what devlint reports taken out."""
    model, optimizer, images, labels = _classifier(scale)
    weights = torch.ones(1000, device="cuda")
    history: list[Tensor] = []

    def step() -> None:
        optimizer.zero_grad()
        logits = model(images)
        losses = functional.cross_entropy(logits, labels, weights, reduction="none")
        kept = losses > 0
        loss = (losses * kept).sum() / kept.sum()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        history.append(loss.detach())
        history.append((logits.argmax(1) == labels).float().mean())

    return step


def _classifier(scale: Scale) -> tuple[nn.Module, torch.optim.Optimizer, Tensor, Tensor]:
    """Many small layers: the host is busy with them, and a wait leaves the device idle."""
    width = scale.width * 8
    layers = [part for _ in range(scale.layers * 4) for part in (nn.Linear(width, width), nn.ReLU())]
    model = nn.Sequential(*layers, nn.Linear(width, 1000)).to("cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    inputs = torch.randn(scale.images, width, device="cuda")
    return model, optimizer, inputs, torch.randint(1000, (scale.images,), device="cuda")


WORKS: dict[str, Callable[[Scale], Work]] = {
    "decoding": decoding,
    "residual network, training step": residual_network,
    "transformer, training step": transformer,
    "training step that waits": waiting_loop,
    "training step that waits, mended": mended_loop,
}
