#!/usr/bin/env python

import logging

import torch
from torch.utils.data import DataLoader, Dataset


def get_safe_torch_device(try_device: str) -> torch.device:
    """Given a string, return a torch.device with checks on whether the device is available."""
    match str(try_device):
        case "cuda":
            assert torch.cuda.is_available()
        case "mps":
            assert torch.backends.mps.is_available()
        case "cpu":
            logging.warning("Using CPU, this will be slow.")
    return torch.device(try_device)


def cycle(iterable):
    while True:
        yield from iterable


def train(cfg, dataset: Dataset, policy: torch.nn.Module, optimizer: torch.optim.Optimizer):
    device = get_safe_torch_device(cfg.policy.device)
    policy.to(device)

    dataloader = DataLoader(
        dataset,
        num_workers=cfg.num_workers,
        batch_size=cfg.batch_size,
        shuffle=True,
        pin_memory=device.type != "cpu",  # error: [DL409]
        drop_last=False,
    )
    dl_iter = cycle(dataloader)

    policy.train()
    for step in range(cfg.steps):
        batch = next(dl_iter)
        for key in batch:
            if isinstance(batch[key], torch.Tensor):
                batch[key] = batch[key].to(device, non_blocking=True)  # also: [DL409|DL305]

        loss, _ = policy.forward(batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(policy.parameters(), cfg.grad_clip_norm)
        optimizer.step()
        optimizer.zero_grad()

        if step % cfg.log_freq == 0:
            logging.info(f"step {step} loss {loss.item():.3f}")
