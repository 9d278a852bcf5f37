import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Regressor(nn.Module):
    def __init__(self, n_features, n_hidden=64):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(n_features, n_hidden),
            nn.ReLU(),
            nn.Linear(n_hidden, 1),
        )

    def forward(self, x):
        return self.layers(x).squeeze(-1)


def make_dataset(n_samples=1024, n_features=10):
    x = torch.randn(n_samples, n_features)
    coefficients = torch.randn(n_features)
    y = x @ coefficients + 0.1 * torch.randn(n_samples)
    return TensorDataset(x, y)


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_default_device(device)
    torch.manual_seed(0)

    dataset = make_dataset()
    loader = DataLoader(dataset, batch_size=64, shuffle=True, generator=torch.Generator(device=device))
    model = Regressor(n_features=10)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    criterion = nn.MSELoss()

    for epoch in range(20):
        losses = []
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
        print(f"epoch {epoch}: {torch.stack(losses).mean().item():.4f}")


if __name__ == "__main__":
    main()
