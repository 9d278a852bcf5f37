"""DL407: CUDA in a data set or another worker process."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Draft, Setting, SettingKind, Severity
from devlint.rules.base import Example, Rule


class CudaInWorker(Rule[Setting]):
    """
    ## What it does
    Reports `.cuda()`, `device="cuda"` and similar code that runs in a worker process.

    Code runs in a worker process if it belongs to:

    - `__getitem__` or `__iter__` of a data set, including one that keeps its data on a device
    - the `collate_fn` or `worker_init_fn` of a data loader with workers
    - the target of a process that is started after its parent has used CUDA
    - functions that these call

    ## Why it matters
    On Linux, a data loader forks its workers, and a forked process cannot use CUDA if its parent has
    started it: the first batch raises `Cannot re-initialize CUDA in forked subprocess`. With
    `num_workers=0` the code works. If a worker can start CUDA by itself, its context takes some hundred
    megabytes of device memory.

    ## Use instead
    Return host tensors, let the loader pin them, and move each batch in the loop over the loader.

    ## When not to
    Ignore the finding where no loader of the data set ever has workers.

    Not reported:

    - files whose loaders have no workers, or in which processes are spawned
    - functions that call `get_worker_info()`

    ## References
    - [pytorch/pytorch#77159](https://github.com/pytorch/pytorch/issues/77159): uploads in a data set
    - [pytorch/pytorch#40403](https://github.com/pytorch/pytorch/issues/40403)
    - [PyTorch: CUDA in multiprocessing](https://docs.pytorch.org/docs/stable/notes/multiprocessing.html)
    - [PyTorch: multi-process data
      loading](https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading)
    - `torch/cuda/__init__.py`, `_lazy_init`: raises the error
    """

    code = "DL407"
    name = "cuda-in-worker"
    severity = Severity.ERROR
    enabled = False
    event = Setting
    about = frozenset({SettingKind.ACCELERATOR_IN_WORKER})
    examples = (
        Example(
            bad="""
                import torch
                from torch.utils.data import DataLoader, Dataset

                device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

                class Windows(Dataset):
                    def __init__(self, series: torch.Tensor, size: int):
                        self.series, self.size = series, size

                    def __len__(self):
                        return len(self.series) - self.size

                    def __getitem__(self, index):
                        return self.series[index : index + self.size].to(device)  # error: [DL407]

                def train(model, series):
                    for window in DataLoader(Windows(series, 8), batch_size=32, num_workers=4):
                        model(window).mean().backward()
            """,
            good="""
                import torch
                from torch.utils.data import DataLoader, Dataset

                device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

                class Windows(Dataset):
                    def __init__(self, series: torch.Tensor, size: int):
                        self.series, self.size = series, size

                    def __len__(self):
                        return len(self.series) - self.size

                    def __getitem__(self, index):
                        return self.series[index : index + self.size]

                def train(model, series):
                    for window in DataLoader(Windows(series, 8), batch_size=32, num_workers=4):
                        model(window.to(device)).mean().backward()
            """,
        ),
        Example(
            bad="""
                import torch
                from torch.nn.utils.rnn import pad_sequence
                from torch.utils.data import DataLoader

                device = "cuda" if torch.cuda.is_available() else "cpu"

                def collate(sequences):
                    lengths = torch.tensor([len(each) for each in sequences], device=device)  # error: [DL407]
                    return pad_sequence(sequences, batch_first=True), lengths

                def loader(corpus, workers):
                    return DataLoader(corpus, batch_size=16, num_workers=workers, collate_fn=collate)
            """,
            good="""
                import torch
                from torch.nn.utils.rnn import pad_sequence
                from torch.utils.data import DataLoader

                device = "cuda" if torch.cuda.is_available() else "cpu"

                def collate(sequences):
                    lengths = torch.tensor([len(each) for each in sequences])
                    return pad_sequence(sequences, batch_first=True), lengths

                def loader(corpus, workers):
                    return DataLoader(corpus, batch_size=16, num_workers=workers, collate_fn=collate)
            """,
        ),
        Example(
            bad="""
                import torch
                import torch.multiprocessing as mp

                device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

                def work(queue):
                    total = torch.zeros(1, device=device)  # error: [DL407]
                    queue.put(total.item())

                def main():
                    model = torch.nn.Linear(8, 8).to(device)
                    process = mp.Process(target=work, args=(mp.Queue(),))
                    process.start()
                    return model
            """,
            good="""
                import torch
                import torch.multiprocessing as mp

                device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

                def work(queue):
                    total = torch.zeros(1, device=device)
                    queue.put(total.item())

                def main():
                    mp.set_start_method("spawn")
                    model = torch.nn.Linear(8, 8).to(device)
                    process = mp.Process(target=work, args=(mp.Queue(),))
                    process.start()
                    return model
            """,
        ),
    )

    def check(self, event: Setting) -> Iterable[Draft]:
        """The code that uses the device."""
        yield Draft(
            code=self.code,
            message=f"a forked worker cannot use {event.value}, and this is {event.detail}",
            site=event.site,
            help="return host tensors, and move each batch in the loop over the loader",
            cause=event.site,
        )
