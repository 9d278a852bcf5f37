import argparse
import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def join_group(rank, world_size, port):
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", str(port))
    dist.init_process_group("nccl", rank=rank, world_size=world_size)  # error: [DL408]


def make_model(width):
    return nn.Sequential(
        nn.Linear(width, 4 * width),
        nn.GELU(),
        nn.Linear(4 * width, 1),
    )


def worker(rank, args):
    join_group(rank, args.world_size, args.port)
    torch.manual_seed(args.seed + rank)

    ddp_model = DDP(make_model(args.width).to(rank), device_ids=[rank])
    optimizer = torch.optim.SGD(ddp_model.parameters(), lr=args.lr)
    loss_fn = nn.MSELoss()

    for _ in range(args.steps):
        x = torch.randn(args.batch_size, args.width, device=rank)
        loss = loss_fn(ddp_model(x), x.sum(dim=1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    loss = loss.detach()
    dist.all_reduce(loss)
    if rank == 0:
        print(f"loss after {args.steps} steps: {loss.item() / args.world_size:.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Distributed data parallel on one machine")
    parser.add_argument("--world_size", type=int, default=2)
    parser.add_argument("--port", type=int, default=29511)
    parser.add_argument("--width", type=int, default=32)
    parser.add_argument("--batch_size", type=int, default=64)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    mp.spawn(worker, args=(args,), nprocs=args.world_size)
