import argparse

import torch
from torch.utils.data import BatchSampler, DataLoader, Sampler, TensorDataset


class SeedableSampler(Sampler):
    """
    A random sampler whose order depends on nothing but the seed and the epoch, so that all processes agree on it.
    """

    def __init__(self, data_source, seed=42, generator=None):
        self.data_source = data_source
        self.initial_seed = seed
        self.epoch = 0
        if generator is None:
            generator = torch.Generator(device=torch.get_default_device())
        self.generator = generator

    def __len__(self):
        return len(self.data_source)

    def __iter__(self):
        self.generator.manual_seed(self.epoch + self.initial_seed)
        order = torch.randperm(len(self.data_source), generator=self.generator)
        yield from order.tolist()
        self.epoch += 1

    def set_epoch(self, epoch):
        self.epoch = epoch


def prepare_data_loader(dataset, batch_size, seed=42):
    sampler = BatchSampler(SeedableSampler(dataset, seed=seed), batch_size, drop_last=False)
    return DataLoader(dataset, batch_sampler=sampler)


def main():
    parser = argparse.ArgumentParser(description="Order of the batches of a seeded loader.")
    parser.add_argument("--batch_size", type=int, default=16)
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()

    if torch.cuda.is_available():
        torch.set_default_device("cuda")

    features = torch.randn(256, 8)
    dataset = TensorDataset(features, features.sum(dim=1))
    loader = prepare_data_loader(dataset, args.batch_size)
    for epoch in range(args.epochs):
        n_seen = sum(len(labels) for _, labels in loader)
        print(f"epoch {epoch}: {n_seen} samples")


if __name__ == "__main__":
    main()
