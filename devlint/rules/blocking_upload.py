"""DL304: batches are uploaded from pageable memory, and the training loop waits for each."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Confidence, Draft, HotPath, Kind, Severity, Transfer
from devlint.rules.base import Example, Rule
from devlint.rules.transfer import SMALL, is_of_index, is_upload
from devlint.rules.wording import named

_LOOPS = (HotPath.TRAINING_LOOP, HotPath.LOADER_LOOP, HotPath.GENERATION_LOOP)


class BlockingUpload(Rule[Transfer]):
    """
    ## What it does
    Reports an upload in a training loop, a loop over a data loader or one that calls a module, which makes
    the host wait unnecessarily: from pinned memory without `non_blocking=True`, or of more than a page from
    pageable memory. If the source code shows no size, batches of images, matrices and arrays count as more
    than a page, and so do sparse matrices that are made dense, and parts that each turn takes of a tensor
    that the program keeps on the host, unless it is known to have one dimension. Nothing else does.

    ## Why it matters
    The driver first copies pageable memory into pinned memory of its own, and the host waits until the
    last byte is on the device. From pinned memory the copy can run in parallel to both, but only with
    `non_blocking=True`; otherwise the host waits for the copy and for all work that was queued before it.

    ## Use instead
    Use `DataLoader(..., pin_memory=True)` and `.to(device, non_blocking=True)`.

    ## When not to
    Ignore the finding where host memory is scarce, because pinned memory cannot be paged out, and where
    the loop reads a value in every step anyway, because the host then waits there.

    ## References
    - [PyTorch: pinned memory and
      non_blocking](https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html)
    - [PyTorch: use pinned memory
      buffers](https://docs.pytorch.org/docs/stable/notes/cuda.html#use-pinned-memory-buffers)
    """

    code = "DL304"
    name = "blocking-upload"
    severity = Severity.WARNING
    enabled = True
    event = Transfer
    yields_to = ("DL301", "DL302", "DL303")
    examples = (
        Example(
            bad="""
                import torch
                from torch.utils.data import DataLoader, TensorDataset

                def evaluate(model: torch.nn.Module, images: torch.Tensor, device: torch.device) -> float:
                    total = 0.0
                    for (batch,) in DataLoader(TensorDataset(images), batch_size=64, pin_memory=True):
                        total += model(batch.to(device)).sum()  # error: [DL304]
                    return float(total)
            """,
            good="""
                import torch
                from torch.utils.data import DataLoader, TensorDataset

                def evaluate(model: torch.nn.Module, images: torch.Tensor, device: torch.device) -> float:
                    total = 0.0
                    for (batch,) in DataLoader(TensorDataset(images), batch_size=64, pin_memory=True):
                        total += model(batch.to(device, non_blocking=True)).sum()
                    return float(total)
            """,
        ),
        Example(
            bad="""
                import torch
                from torch import nn
                from torch.utils.data import DataLoader, TensorDataset

                model = nn.Linear(512, 1).cuda()
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
                loader = DataLoader(TensorDataset(torch.randn(256, 512)), batch_size=8)
                for (x,) in loader:
                    loss = model(x.to("cuda")).square().mean()  # error: [DL304]
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
            """,
            good="""
                import torch
                from torch import nn
                from torch.utils.data import DataLoader, TensorDataset

                model = nn.Linear(512, 1).cuda()
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
                loader = DataLoader(TensorDataset(torch.randn(256, 512)), batch_size=8, pin_memory=True)
                for (x,) in loader:
                    loss = model(x.to("cuda", non_blocking=True)).square().mean()
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
            """,
            in_run=True,
        ),
        Example(
            bad="""
                import torch
                from torch.utils.data import DataLoader, TensorDataset

                images = TensorDataset(torch.rand(64, 3, 16, 16))
                total = torch.zeros((), device="cuda")
                for (batch,) in DataLoader(images, batch_size=4):
                    total += batch.cuda().mean()  # error: [DL304]
            """,
            good="""
                import torch
                from torch.utils.data import DataLoader, TensorDataset

                images = TensorDataset(torch.rand(64, 3, 16, 16))
                total = torch.zeros((), device="cuda")
                for (batch,) in DataLoader(images, batch_size=4, pin_memory=True):
                    total += batch.cuda(non_blocking=True).mean()
            """,
            in_run=True,
        ),
    )

    def is_usual(self, event: Transfer) -> bool:
        """By default, data loaders do not pin memory."""
        return event.pinned is False

    def check(self, event: Transfer) -> Iterable[Draft]:
        """An upload for which the host waits in each batch."""
        if event.non_blocking or event.hot not in _LOOPS or not is_upload(event):
            return
        if event.operand.kind is not Kind.TENSOR or event.pinned is None:
            return  # a module's parameters, which no loader pins, or memory of unknown kind
        if is_of_index(event):
            return  # it waits from pinned memory as well
        if not event.pinned and event.bytes is not None and event.bytes <= SMALL:
            return
        is_known = event.pinned or event.bytes is not None
        yield Draft(
            code=self.code,
            message=(
                f"copying {named(event.operand)} to {event.target} from "
                f"{'pinned' if event.pinned else 'pageable'} memory "
                f"makes the host wait, in {event.hot.value}"
            ),
            site=event.site,
            help="copy with `non_blocking=True`"
            if event.pinned
            else "load into pinned memory (`pin_memory=True`), and copy with `non_blocking=True`",
            cause=event.site,
            # Source code does not show whether there are so few bytes that the driver need not wait.
            confidence=None if is_known else Confidence.LIKELY,
        )
