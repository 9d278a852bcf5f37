"""DL408: an NCCL process group without a current device."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Draft, Setting, SettingKind, Severity
from devlint.rules.base import Example, Rule
from devlint.rules.wording import code


class NcclWithoutDevice(Rule[Setting]):
    """
    ## What it does
    Reports `torch.distributed.init_process_group("nccl")` in a file that neither gives it a `device_id` nor
    calls `torch.cuda.set_device`.

    ## Why it matters
    NCCL works on the current device, and in every process that is `cuda:0` until someone says otherwise. The
    processes crowd one GPU's memory, or hang in the first collective. PyTorch's own examples had this bug
    (pytorch/examples#1142).

    ## Use instead
    `torch.cuda.set_device(local_rank)` before the group is made, or `device_id=` in the call.

    ## When not to
    Where a launcher shows each process one GPU only, by `CUDA_VISIBLE_DEVICES`, or other code sets the
    device.

    ## References
    - [pytorch/examples#1142](https://github.com/pytorch/examples/pull/1142)
    - [`torch.distributed`](https://docs.pytorch.org/docs/stable/distributed.html)
    """

    code = "DL408"
    name = "nccl-without-device"
    severity = Severity.WARNING
    enabled = False
    event = Setting
    about = frozenset({SettingKind.NCCL_WITHOUT_DEVICE})
    examples = (
        Example(
            bad="""
                import os

                import torch
                import torch.distributed as dist

                def setup():
                    dist.init_process_group(backend="nccl")  # error: [DL408]
                    return int(os.environ["LOCAL_RANK"])
            """,
            good="""
                import os

                import torch
                import torch.distributed as dist

                def setup():
                    local_rank = int(os.environ["LOCAL_RANK"])
                    torch.cuda.set_device(local_rank)
                    dist.init_process_group(backend="nccl")
                    return local_rank
            """,
        ),
        Example(
            bad="""
                import torch
                from torch.distributed import init_process_group

                def worker(rank, world_size):
                    init_process_group("nccl", rank=rank, world_size=world_size)  # error: [DL408]
                    model = torch.nn.Linear(8, 8)
                    return torch.nn.parallel.DistributedDataParallel(model.to(f"cuda:{rank}"))
            """,
            good="""
                import torch
                from torch.distributed import init_process_group

                def worker(rank, world_size):
                    device = torch.device(f"cuda:{rank}")
                    init_process_group("nccl", rank=rank, world_size=world_size, device_id=device)
                    model = torch.nn.Linear(8, 8)
                    return torch.nn.parallel.DistributedDataParallel(model.to(device))
            """,
        ),
    )

    def check(self, event: Setting) -> Iterable[Draft]:
        """The call."""
        yield Draft(
            code=self.code,
            message=f"{code(event.value)} makes an NCCL group while every process is on cuda:0",
            site=event.site,
            help="call `torch.cuda.set_device(local_rank)` before it, or give it `device_id`",
            cause=event.site,
        )
