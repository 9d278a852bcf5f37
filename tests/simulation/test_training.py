"""Programs that train give bit for bit what they give on the CPU."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint_sequential

from devlint.simulation import Simulation


class Recurrent(nn.Module):
    """An LSTM with a head, as written for CUDA."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(4, 5, 2, dropout=0.3, batch_first=True)
        self.head = nn.Linear(5, 3)

    def forward(self, x: Tensor) -> Tensor:
        """The head's answer to the last step, from a state made here."""
        state = torch.zeros(2, x.size(0), 5, device=x.device)
        steps, _ = self.lstm(x[:, :, :4].reshape(x.size(0), -1, 4), (state, state))
        logits: Tensor = self.head(steps[:, -1])
        return logits


NETWORKS: dict[str, Callable[[], nn.Module]] = {
    "convolution": lambda: nn.Sequential(
        nn.Unflatten(2, (1, 4)),
        nn.Conv2d(6, 8, 1),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(32, 3),
    ),
    "dropout": lambda: nn.Sequential(
        nn.Flatten(), nn.Linear(24, 8), nn.Dropout(), nn.GELU(), nn.Linear(8, 3)
    ),
    "recurrent": Recurrent,
    "transformer": lambda: nn.Sequential(
        nn.TransformerEncoderLayer(4, 2, 8, batch_first=True), nn.Flatten(), nn.Linear(24, 3)
    ),
}


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("optimizer", ["SGD", "Adam", "AdamW", "Adagrad", "RMSprop"])
def test_losses_and_weights(network: str, optimizer: str) -> None:
    expected = trained(network, optimizer, "cpu")
    with Simulation("cuda"):
        assert trained(network, optimizer, "cuda") == expected


def trained(network: str, optimizer: str, device: str) -> list[object]:
    """Losses and final weights of a short training, as Python numbers."""
    torch.manual_seed(0)
    model = NETWORKS[network]().to(device)
    momentum = {"momentum": 0.9} if optimizer == "SGD" else {}
    steps = getattr(torch.optim, optimizer)(model.parameters(), lr=0.05, **momentum)
    losses = []
    for _ in range(3):
        x, y = torch.randn(5, 6, 4).to(device), torch.randint(0, 3, (5,), device=device)
        steps.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        steps.step()
        assert loss.device.type == device
        assert {p.grad.device.type for p in model.parameters() if p.grad is not None} == {device}
        losses.append(loss.item())
    return [losses, *(parameter.tolist() for parameter in model.parameters())]


@pytest.mark.parametrize("quietly", [torch.no_grad, torch.inference_mode])
def test_evaluation(quietly: Callable[[], torch.no_grad]) -> None:
    def evaluated(device: str) -> list[float]:
        torch.manual_seed(0)
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        model = nn.TransformerEncoder(layer, 2).to(device).eval()
        padding = torch.tensor([[False] * 5, [False] * 3 + [True] * 2], device=device)
        with quietly():
            seen: list[float] = model(torch.randn(2, 5, 8).to(device), src_key_padding_mask=padding).tolist()
        return seen

    expected = evaluated("cpu")
    with Simulation("cuda"):
        assert evaluated("cuda") == expected


def test_a_scaled_step_is_the_plain_step() -> None:
    def stepped(device: str) -> list[float]:
        torch.manual_seed(0)
        model = nn.Linear(4, 2).to(device)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        scaler = torch.amp.GradScaler("cuda", enabled=device == "cuda")
        with torch.autocast("cuda", dtype=torch.float16, enabled=device == "cuda"):
            loss = model(torch.ones(3, 4, device=device)).sum()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        weights: list[float] = model.weight.tolist()
        return weights

    expected = stepped("cpu")
    with Simulation("cuda"):
        assert stepped("cuda") == expected


def test_recomputed_activations() -> None:
    def gradients(device: str) -> list[object]:
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(), nn.Linear(4, 2)).to(device)
        x = torch.ones(3, 4).to(device).requires_grad_()
        checkpoint_sequential(model, 2, x, use_reentrant=False).sum().backward()  # type: ignore[no-untyped-call]
        return [parameter.grad.tolist() for parameter in model.parameters() if parameter.grad is not None]

    expected = gradients("cpu")
    with Simulation("cuda"):
        assert gradients("cuda") == expected


def test_a_complex_number_in_backward() -> None:
    """The derivative of its product has it conjugated, by a kernel for tensors."""
    with Simulation("cuda"):
        x = torch.ones(3, requires_grad=True, device="cuda")
        (1j * x).abs().sum().backward()  # type: ignore[no-untyped-call]
        assert x.grad is not None
        assert x.grad.is_cuda
        assert x.grad.tolist() == [1.0, 1.0, 1.0]


def test_compiled_code_runs_as_it_is_written() -> None:
    with Simulation("cuda"):
        compiled = torch.compile(lambda x: x.sin() + torch.ones(2, device=x.device))
        assert compiled(torch.zeros(2, device="cuda")).tolist() == [1.0, 1.0]
