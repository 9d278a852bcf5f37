import torch
import torch.nn as nn


class DoubleConv(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.out_channels = out_channels
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, padding=1, bias=False)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.relu = nn.ReLU(inplace=True)
        self.bn1 = nn.BatchNorm2d(out_channels)
        self.bn2 = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        x = self.conv1(x)
        x = self.bn1(x)
        x = self.relu(x)
        x = self.conv2(x)
        x = self.bn2(x)
        return self.relu(x)


class UNet(nn.Module):
    """Segmentation network with one skip connection."""

    def __init__(self, in_channels, num_classes, width=32):
        super().__init__()
        self.down = DoubleConv(in_channels, width)
        self.pool = nn.MaxPool2d(2)
        self.middle = DoubleConv(width, 2 * width)
        self.up = nn.ConvTranspose2d(2 * width, width, 2, stride=2)
        self.merge = DoubleConv(2 * width, width)
        self.head = nn.Conv2d(width, num_classes, 1)

    def forward(self, x):
        skip = self.down(x)
        x = self.middle(self.pool(skip))
        x = torch.cat([skip, self.up(x)], dim=1)
        return self.head(self.merge(x))


if __name__ == '__main__':
    device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')
    net = UNet(3, 8).to(device)
    image = torch.rand(2, 3, 64, 64, device=device)
    print(net(image).shape)
