"""A list of every GPU, or the CPU where there is none, and a device from it is used throughout.
The comparison asks for the type of the device, which `cuda` and `cuda:0` share.
"""

import torch


def every_gpu_or_the_cpu():
    devices = [torch.device(f"cuda:{i}") for i in range(torch.cuda.device_count())]
    return devices if devices else [torch.device("cpu")]


def show(x: torch.Tensor):
    if x.device.type == "cuda":
        print("on a GPU")
    if x.device == torch.device("cuda:0"):
        print("on the first GPU")


if __name__ == "__main__":
    first = every_gpu_or_the_cpu()[0]
    x = torch.ones(2, 3, device=first)
    show(x)
    weights = torch.ones(2, 3, device=first)
    print(x * weights)
