import argparse

import torch
import torch.nn as nn
from torch.utils.data import DataLoader
from torchvision import datasets, models, transforms


def class_weights(dataset, num_classes):
    """Inverse frequency of each class."""
    counts = [0] * num_classes
    for label in dataset.targets:
        counts[label] += 1
    total = sum(counts)
    return torch.tensor([total / max(count, 1) for count in counts])  # also: [DL102]


def train_one_epoch(model, loader, criterion, optimizer, device):
    model.train()
    for images, labels in loader:
        images = images.to(device, non_blocking=True)
        labels = labels.to(device, non_blocking=True)
        logits = model(images)
        loss = criterion(logits, labels)  # error: [DL101|DL106]
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main():
    parser = argparse.ArgumentParser(description='Fine-tune a classifier on imbalanced data')
    parser.add_argument('data', help='folder with one folder per class')
    parser.add_argument('--epochs', type=int, default=10)
    parser.add_argument('--batch-size', type=int, default=64)
    args = parser.parse_args()

    device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')
    transform = transforms.Compose([transforms.Resize((224, 224)), transforms.ToTensor()])
    dataset = datasets.ImageFolder(args.data, transform)
    loader = DataLoader(
        dataset, args.batch_size, shuffle=True, num_workers=4, pin_memory=device.type == 'cuda'
    )

    num_classes = len(dataset.classes)
    model = models.resnet18(num_classes=num_classes).to(device)
    weight = class_weights(dataset, num_classes)
    criterion = nn.CrossEntropyLoss(weight=weight)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for _ in range(args.epochs):
        train_one_epoch(model, loader, criterion, optimizer, device)


if __name__ == '__main__':
    main()
