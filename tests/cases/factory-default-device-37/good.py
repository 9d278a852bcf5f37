"""Training of a class-conditional generator against a frozen classifier.

Authors
 * The recipe's maintainers
"""
import torch
import torch.nn as nn
import torch.nn.functional as F


class ConditionalGenerator(nn.Module):
    """Generator of log-mel patches.

    Arguments
    ---------
    n_classes : int
        Number of classes.
    z_dim : int
        Size of the noise.
    """

    def __init__(self, n_classes, z_dim, n_out):
        super().__init__()
        self.embedding = nn.Embedding(n_classes, z_dim)
        self.net = nn.Sequential(nn.Linear(2 * z_dim, 256), nn.LeakyReLU(0.2), nn.Linear(256, n_out))

    def forward(self, z, y):
        return self.net(torch.cat([z, self.embedding(y)], dim=-1))


class GeneratorBrain:
    """Runs the training of the generator."""

    def __init__(self, generator, classifier, n_classes, z_dim, device):
        self.device = torch.device(device)
        self.generator = generator.to(self.device)
        self.classifier = classifier.to(self.device).eval()
        self.n_classes = n_classes
        self.z_dim = z_dim

    def compute_objectives(self, batch_size):
        z = torch.randn(batch_size, self.z_dim, device=self.device)
        y = torch.randint(self.n_classes, (batch_size,), device=self.device)
        fake = self.generator(z, y)
        logits = self.classifier(fake)
        return F.cross_entropy(logits, y)

    def fit(self, n_steps, batch_size, lr=2e-4):
        optimizer = torch.optim.Adam(self.generator.parameters(), lr=lr)
        for _ in range(n_steps):
            optimizer.zero_grad()
            loss = self.compute_objectives(batch_size)
            loss.backward()
            optimizer.step()
