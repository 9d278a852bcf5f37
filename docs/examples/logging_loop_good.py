"""The same training loop keeps its results on the GPU and moves them once, at the end.
While it runs the host queues work ahead of the GPU and waits for none of it.
"""

import torch
from torch import nn

device = torch.device("cuda")
network = nn.Linear(8, 1).to(device)
optimizer = torch.optim.SGD(network.parameters(), lr=0.01)


def train(batches):
    losses, outputs = [], []
    for inputs, targets in batches:
        inputs, targets = inputs.to(device), targets.to(device)
        output = network(inputs)
        loss = nn.functional.mse_loss(output, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
        outputs.append(output.detach())
    losses = torch.stack(losses).cpu()
    print("losses:", losses)
    return losses.tolist(), torch.stack(outputs).cpu().numpy()


if __name__ == "__main__":
    train([(torch.rand(4, 8), torch.rand(4, 1)) for _ in range(10)])
