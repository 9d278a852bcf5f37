"""DL306: a few numbers are uploaded on a hot path."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Confidence, Draft, Kind, Operand, Severity, Transfer
from devlint.operators import takes_host_data
from devlint.rules.base import Example, Rule
from devlint.rules.paths import confidence_of_path
from devlint.rules.transfer import SMALL, is_of_index, is_upload
from devlint.rules.wording import named

_OF_ARRAY = "torch.from_numpy"


class SmallUploadOnHotPath(Rule[Transfer]):
    """
    ## What it does
    Reports uploads of a scalar, a list, an array or a small tensor on a hot path: `torch.tensor([...],
    device=device)`, `torch.from_numpy(observation).to(device)`, `torch.tensor(1.0).to(x.device)`, a 0-dim
    host tensor in `torch.where`; and of a host tensor of any size that is an index of one on the device. A
    number is reported with `non_blocking=True` as well, since a factory on the device would copy nothing.

    ## Why it matters
    The copy comes from pageable memory, so the host waits for the stream, however small the copy is;
    passing a list and a device to `torch.tensor` does not avoid it (sgl-project/sglang#35106). Removing
    one upload reduced TensorRT-LLM's median latency from 298 to 270 ms (NVIDIA/TensorRT-LLM#16680); vLLM
    replaced nine of them on its forward path (vllm-project/vllm#51458).

    ## Use instead
    Use a Python number (`1.0 - x`), a factory that fills on the device (`torch.full((), v, device=d)`),
    or one upload before the loop. Copy what is new in each step from pinned memory
    (`torch.from_numpy(a).pin_memory().to(d, non_blocking=True)`).

    ## When not to
    Ignore the finding where the numbers are new in each step and the host waits in the same step anyway.

    ## References
    - [sgl-project/sglang#35106](https://github.com/sgl-project/sglang/pull/35106)
    - [NVIDIA/TensorRT-LLM#16680](https://github.com/NVIDIA/TensorRT-LLM/pull/16680)
    - [vllm-project/vllm#51458](https://github.com/vllm-project/vllm/pull/51458)
    - [kornia/kornia#3221](https://github.com/kornia/kornia/pull/3221)
    """

    code = "DL306"
    name = "small-upload-on-hot-path"
    severity = Severity.WARNING
    enabled = True
    event = Transfer
    yields_to = ("DL301", "DL302", "DL303", "DL304", "DL307")
    examples = (
        Example(
            bad="""
                import torch
                from torch import nn

                class Complement(nn.Module):
                    def forward(self, x):
                        one = torch.tensor(1.0).to(x.device)  # error: [DL306]
                        return one - x
            """,
            good="""
                from torch import nn

                class Complement(nn.Module):
                    def forward(self, x):
                        return 1.0 - x
            """,
        ),
        Example(
            bad="""
                import torch
                from torch import nn

                device = torch.device("cuda")
                model = nn.Linear(8, 3).to(device)
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

                def train(loader):
                    for x, y in loader:
                        error = nn.functional.mse_loss(model(x.to(device)), y.to(device), reduction="none")
                        scale = torch.tensor([1.0, 0.5, 0.1]).to(device)  # error: [DL306]
                        optimizer.zero_grad()
                        (error * scale).mean().backward()
                        optimizer.step()
            """,
            good="""
                import torch
                from torch import nn

                device = torch.device("cuda")
                model = nn.Linear(8, 3).to(device)
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
                scale = torch.tensor([1.0, 0.5, 0.1]).to(device)

                def train(loader):
                    for x, y in loader:
                        error = nn.functional.mse_loss(model(x.to(device)), y.to(device), reduction="none")
                        optimizer.zero_grad()
                        (error * scale).mean().backward()
                        optimizer.step()
            """,
        ),
        Example(
            bad="""
                import torch
                from torch import nn
                from torch.utils.data import DataLoader

                model = nn.Linear(4, 2).cuda()
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
                for x, label in DataLoader([(torch.rand(4), 1)] * 32, batch_size=2):
                    weight = torch.tensor([0.2, 0.8]).cuda()  # error: [DL306]
                    nn.functional.cross_entropy(model(x.cuda()), label.cuda(), weight).backward()
                    optimizer.step()
            """,
            good="""
                import torch
                from torch import nn
                from torch.utils.data import DataLoader

                model = nn.Linear(4, 2).cuda()
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
                weight = torch.tensor([0.2, 0.8]).cuda()
                for x, label in DataLoader([(torch.rand(4), 1)] * 32, batch_size=2):
                    nn.functional.cross_entropy(model(x.cuda()), label.cuda(), weight).backward()
                    optimizer.step()
            """,
            in_run=True,
        ),
        Example(
            bad="""
                import torch
                from torch import nn

                samples = torch.randn(6400, 32, device="cuda")
                model = nn.Linear(32, 1).cuda()
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
                for epoch in range(3):
                    order = torch.randperm(6400)
                    for start in range(0, 6400, 640):
                        loss = model(samples[order[start : start + 640]]).square().mean()  # error: [DL306]
                        optimizer.zero_grad()
                        loss.backward()
                        optimizer.step()
            """,
            good="""
                import torch
                from torch import nn

                samples = torch.randn(6400, 32, device="cuda")
                model = nn.Linear(32, 1).cuda()
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
                for epoch in range(3):
                    order = torch.randperm(6400, device="cuda")
                    for start in range(0, 6400, 640):
                        loss = model(samples[order[start : start + 640]]).square().mean()
                        optimizer.zero_grad()
                        loss.backward()
                        optimizer.step()
            """,
            in_run=True,
        ),
        Example(
            bad="""
                import numpy as np
                import torch
                from torch import nn

                policy = nn.Linear(4, 2).cuda()
                optimizer = torch.optim.SGD(policy.parameters(), lr=0.1)
                for step in range(100):
                    observation = np.random.rand(4).astype(np.float32)
                    loss = policy(torch.from_numpy(observation).to("cuda")).sum()  # error: [DL306]
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
            """,
            good="""
                import numpy as np
                import torch
                from torch import nn

                policy = nn.Linear(4, 2).cuda()
                optimizer = torch.optim.SGD(policy.parameters(), lr=0.1)
                for step in range(100):
                    observation = torch.from_numpy(np.random.rand(4).astype(np.float32)).pin_memory()
                    loss = policy(observation.to("cuda", non_blocking=True)).sum()
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
            """,
            in_run=True,
        ),
    )

    def check(self, event: Transfer) -> Iterable[Draft]:
        """A blocking upload of few bytes, or any upload of a number, on a hot path."""
        if event.hot is None or not is_upload(event) or not (is_of_index(event) or _is_small(event)):
            return
        if event.bytes == 0:
            return  # torch copies nothing
        if event.non_blocking and not _is_number(event.operand):
            return
        cost = "copies one number" if event.non_blocking else "makes the host wait"
        yield Draft(
            code=self.code,
            message=f"uploading {named(event.operand)} to {event.target} {cost}, in {event.hot.value}",
            site=event.site,
            help=_help(event),
            cause=event.site,
            # Source code seldom shows the length of an array or a list; the host waits for any.
            confidence=confidence_of_path(event) or (None if event.bytes is not None else Confidence.LIKELY),
        )


def _help(event: Transfer) -> str:
    if event.operator.endswith("__setitem__") and event.operand.parameter == "value":
        return "write a tensor of the device, `torch.full((), v, device=d)`; torch 2.15 copies nothing"
    if is_of_index(event):
        return "create the index on the device"
    if _is_of_array(event):
        return "copy from pinned memory with `non_blocking=True`, or upload once before the loop"
    return "use a Python number or `torch.full` on the device, or upload once before the loop"


def _is_of_array(event: Transfer) -> bool:
    """Whether an array is uploaded, or a tensor that shares its memory."""
    made = event.operand.origin.made()
    return event.operand.kind is Kind.ARRAY or (made is not None and made.operator == _OF_ARRAY)


def _is_number(operand: Operand) -> bool:
    """Whether it is a number that a factory on the device could fill in without a copy."""
    made = operand.origin.made()
    return operand.rank0 is not False and made is not None and takes_host_data(made.operator)


def _is_small(event: Transfer) -> bool:
    """Whether it is 0-dim or comes from Python, and is not known to have more than a few bytes.

    The labels of a batch are not meant: they are few bytes, too, but must be uploaded once.
    """
    made = event.operand.origin.made()
    from_python = any(
        _is_of_host_data(name) for name in (event.operator, made.operator if made is not None else "")
    )
    if event.bytes is None:
        # The copy of a tensor that was created before may be a slice of it, or one batch of many.
        return (from_python and event.made_inline) or event.operand.kind in (Kind.ARRAY, Kind.CONTAINER)
    return event.bytes <= SMALL and (
        event.operand.rank0 is True or event.operand.kind in (Kind.SCALAR, Kind.CONTAINER) or from_python
    )


def _is_of_host_data(operator: str) -> bool:
    """Whether it makes a tensor of Python's numbers, a list or an array."""
    return takes_host_data(operator) or operator == _OF_ARRAY or operator.endswith("Tensor")
