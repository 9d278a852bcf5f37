"""DL114: a collective over NCCL gets a host tensor."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Draft, Note, Setting, SettingKind, Severity
from devlint.rules.base import Example, Rule
from devlint.rules.wording import code


class HostTensorInCollective(Rule[Setting]):
    """
    ## What it does
    Reports a host tensor that a program passes to a collective of `torch.distributed`, such as
    `all_reduce`, although its process group has only the NCCL backend.

    ## Why it matters
    The call raises `No backend type associated with device type cpu`: NCCL communicates between devices
    only. Counts and metrics are often made by `torch.tensor(value)`, which is on the host. Programs of one
    process do not reach the call, so that the error appears on the cluster first.

    ## Use instead
    Create the tensor on the device of the process, or create the group with a backend for both:
    `init_process_group("cpu:gloo,cuda:nccl")`.

    ## When not to
    Nothing is reported where the program does not show the backend of the group, and for collectives over
    another group than the default one.

    ## References
    - [`torch.distributed`](https://docs.pytorch.org/docs/stable/distributed.html#backends): which backend
      supports which device
    - torch/csrc/distributed/c10d/ProcessGroup.hpp, `getBackend`
    """

    code = "DL114"
    name = "host-tensor-in-collective"
    severity = Severity.ERROR
    enabled = True
    event = Setting
    about = frozenset({SettingKind.HOST_TENSOR_IN_COLLECTIVE})
    examples = (
        Example(
            bad="""
                import os

                import torch
                import torch.distributed as dist

                dist.init_process_group("nccl")
                device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
                torch.cuda.set_device(device)
                hits = torch.tensor(17.0)
                dist.all_reduce(hits)  # error: [DL114]
            """,
            good="""
                import os

                import torch
                import torch.distributed as dist

                dist.init_process_group("nccl")
                device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
                torch.cuda.set_device(device)
                hits = torch.tensor(17.0, device=device)
                dist.all_reduce(hits)
            """,
        ),
        Example(
            bad="""
                import torch
                import torch.distributed as dist

                def gathered(value):
                    parts = [torch.zeros(1) for _ in range(dist.get_world_size())]
                    dist.all_gather(parts, torch.tensor([value]))  # error: [DL114]
                    return torch.cat(parts)

                def worker(rank):
                    dist.init_process_group("nccl", rank=rank, world_size=2)
                    torch.cuda.set_device(rank)
                    print(gathered(0.5))

                torch.multiprocessing.spawn(worker, nprocs=2)
            """,
            good="""
                import torch
                import torch.distributed as dist

                def gathered(value):
                    parts = [torch.zeros(1, device="cuda") for _ in range(dist.get_world_size())]
                    dist.all_gather(parts, torch.tensor([value], device="cuda"))
                    return torch.cat(parts)

                def worker(rank):
                    dist.init_process_group("nccl", rank=rank, world_size=2)
                    torch.cuda.set_device(rank)
                    print(gathered(0.5))

                torch.multiprocessing.spawn(worker, nprocs=2)
            """,
        ),
    )

    def check(self, event: Setting) -> Iterable[Draft]:
        """The call."""
        created = () if event.related is None else (Note(event.related, "it was created here"),)
        yield Draft(
            code=self.code,
            message=f"{code(event.detail)} is on cpu, but {code(event.value)} communicates over NCCL",
            site=event.site,
            notes=created,
            help="create the tensor on the device of the process",
            cause=event.site if event.related is None else event.related,
        )
