"""A list of every GPU, or the CPU where there is none, is compared with the wrong things.
`cuda` is not `cuda:0`, no device equals a string, and a tensor made without a device is on none of the GPUs.
"""

import torch


def every_gpu_or_the_cpu():
    devices = [torch.device(f"cuda:{i}") for i in range(torch.cuda.device_count())]
    return devices if devices else [torch.device("cpu")]


def show(x: torch.Tensor):
    if x.device == torch.device("cuda"):  # error: [DL112]
        print("on the GPU")
    if x.device == "cuda:0":  # error: [DL112]
        print("on the first GPU")


if __name__ == "__main__":
    first = every_gpu_or_the_cpu()[0]
    x = torch.ones(2, 3, device=first)
    show(x)
    weights = torch.ones(2, 3)  # error: [DL102]
    print(x * weights)
