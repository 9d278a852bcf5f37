"""DL408: an NCCL process group without a current device."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Draft, Setting, SettingKind, Severity
from devlint.rules.base import Example, Rule
from devlint.rules.wording import code


class NcclWithoutDevice(Rule[Setting]):
    """
    ## What it does
    Reports `torch.distributed.init_process_group("nccl")` in a file that neither passes a `device_id` nor
    calls `torch.cuda.set_device`.

    ## Why it matters
    NCCL uses the current device, which is `cuda:0` in every process by default. All processes then share
    the memory of one GPU, or hang in the first collective. PyTorch's examples had this bug
    (pytorch/examples#1142).

    ## Use instead
    Call `torch.cuda.set_device(local_rank)` before the group is created, or pass `device_id=`.

    ## When not to
    Ignore the finding where a launcher limits each process to one GPU by `CUDA_VISIBLE_DEVICES`, or where
    other code sets the device.

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
            help="call `torch.cuda.set_device(local_rank)` before it, or pass `device_id`",
            cause=event.site,
        )
