import torch
import torch.nn as nn
import torch.nn.functional as F


class PlainConvNet(nn.Module):
    """A stack of convolutions followed by a linear classifier."""

    def __init__(self, in_channels=1, width=16, depth=4, num_classes=10):
        super(PlainConvNet, self).__init__()
        self.stem = nn.Conv2d(in_channels, width, 3, padding=1)
        self.convs = []  # error: [DL104]
        for _ in range(depth):
            self.convs.append(nn.Conv2d(width, width, 3, padding=1))
        self.fc = nn.Linear(width, num_classes)

    def forward(self, x):
        x = F.relu(self.stem(x))
        for conv in self.convs:
            x = F.relu(conv(x)) + x
        x = x.mean(dim=(2, 3))
        return self.fc(x)


def train(model, loader, optimizer, device, epoch):
    model.train()
    for data, target in loader:
        data = data.to(device, non_blocking=True)
        target = target.to(device, non_blocking=True)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(data), target)
        loss.backward()
        optimizer.step()
    print(f'Epoch {epoch} done')


def main(loader, epochs=5):
    device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')
    model = PlainConvNet().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for epoch in range(epochs):
        train(model, loader, optimizer, device, epoch)
