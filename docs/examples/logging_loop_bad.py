"""A training loop prints a tensor, converts one to NumPy and logs `.item()` at every step.
Each of these makes the host wait until the GPU has finished all the work that was queued.
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
        print("loss:", loss)  # error: [DL203]
        losses.append(loss.item())  # error: [DL201]
        outputs.append(output.detach().cpu().numpy())  # error: [DL205]
    return losses, outputs


if __name__ == "__main__":
    train([(torch.rand(4, 8), torch.rand(4, 1)) for _ in range(10)])
