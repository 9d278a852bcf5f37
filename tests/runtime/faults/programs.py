"""A program that uses what devlint observes, and prints what it computes."""

from __future__ import annotations

OPTIONS = (
    ["--output-format", "concise"],
    ["--trace", "trace.jsonl", "--trace-lines", "--output-format", "full"],
    ["--sync", "log", "--device-to-host", "log", "--every", "1", "--output-format", "json"],
    ["--simulate", "cuda", "--output-format", "concise"],
)

PROGRAM = """\
import threading

import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 2)
        self.register_buffer("mask", torch.ones(2))

    def forward(self, x):
        return self.layer(x) * self.mask


model = Net().to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = TensorDataset(torch.rand(8, 4), torch.rand(8, 2))
total = 0.0
for x, y in DataLoader(data, batch_size=2):
    loss = (model(x.to(device)) - y.to(device)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss.item()
print(round(total, 4))


def work():
    print(torch.arange(3).to(device).sum().item())


thread = threading.Thread(target=work)
thread.start()
thread.join()
print(torch.nonzero(torch.tensor([0, 1, 2], device=device)).tolist(), torch.tensor([1.5]).numpy())
try:
    torch.ones(2) + torch.ones(3)
except RuntimeError as error:
    print(type(error).__name__)
try:
    torch.ones(2) + torch.ones(2, device="meta")
except (RuntimeError, NotImplementedError) as error:
    print(type(error).__name__)
raise SystemExit(3)
"""
