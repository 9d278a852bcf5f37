"""Scripts by what goes on in them and by how they end. Each combination is one script."""

from __future__ import annotations

from typing import NamedTuple

_BEGIN = """\
import asyncio, atexit, ctypes, multiprocessing, os, signal, subprocess, sys, threading, time, weakref
from concurrent.futures import ThreadPoolExecutor

import torch
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def compute(number):
    return (torch.ones(2) * number).to(DEVICE).sum().item()


def main():
"""

WORKS = {
    "calls": "print([compute(number) for number in range(30)])",
    "training": """\
weight = torch.nn.Parameter(torch.ones(2, device=DEVICE))
optimizer = torch.optim.SGD([weight], lr=0.1)
for (x,) in DataLoader(TensorDataset(torch.ones(8, 2)), batch_size=2):
    optimizer.zero_grad()
    (x.to(DEVICE) * weight).sum().backward()
    optimizer.step()
print(weight.tolist())""",
    "a thread that outlives main": """\
def later():
    time.sleep(0.2)
    print("later", compute(3), flush=True)
threading.Thread(target=later).start()
print(compute(1))""",
    "a daemon thread": """\
def forever():
    while True:
        compute(2)
        time.sleep(9)  # a thread inside torch at the end of the interpreter may abort
threading.Thread(target=forever, daemon=True).start()
time.sleep(0.1)
print(compute(1))""",
    "an executor": """\
executor = ThreadPoolExecutor(2)
print(list(executor.map(compute, range(5))))""",
    "asyncio": """\
async def task(number):
    await asyncio.sleep(0)
    return compute(number)
async def tasks():
    return await asyncio.gather(*map(task, range(5)))
print(asyncio.run(tasks()))""",
    "workers of a data loader": """\
loader = DataLoader(TensorDataset(torch.arange(8.0)), batch_size=2, num_workers=1)
print([x.to(DEVICE).sum().item() for (x,) in loader])""",
    "a spawned process": """\
process = multiprocessing.get_context("spawn").Process(target=print, args=("spawned",))
process.start()
process.join()
print(process.exitcode, compute(1))""",
    "a fork without exec": """\
sys.stdout.flush()
child = os.fork()
if child == 0:
    print("child", torch.ones(2).sum().item(), flush=True)
    os._exit(4)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), compute(1))""",
    "what comes at exit": """\
class Last:
    def __del__(self):
        print("finalizer", torch.ones(2).sum().item())
atexit.register(lambda: print("at exit", compute(1)))
globals()["last"] = Last()
weakref.finalize(last, print, "finalized")
print(compute(1))""",
    "another program": """\
done = subprocess.run([sys.executable, "-c", "import torch; print(torch.ones(2).sum().item())"], text=True,
                      stdout=subprocess.PIPE)
print(done.stdout, done.returncode, compute(1))""",
}
"""The running activities, as bodies of a function."""


class End(NamedTuple):
    """The last thing that a script does."""

    code: str
    reports: bool
    """Whether the interpreter ends by itself, so that there is a report."""


ENDS = {
    "the last line": End("pass", True),
    "a number": End("sys.exit(3)", True),
    "a reason": End("sys.exit('a reason')", True),
    "an error": End("raise ValueError('the program')", True),
    "an interruption": End("raise KeyboardInterrupt", True),
    "os._exit": End("sys.stdout.flush(); os._exit(5)", False),
    "SIGTERM": End("sys.stdout.flush(); os.kill(os.getpid(), signal.SIGTERM); time.sleep(9)", False),
    "SIGKILL": End("sys.stdout.flush(); os.kill(os.getpid(), signal.SIGKILL)", False),
    "a segmentation fault": End("sys.stdout.flush(); ctypes.string_at(0)", False),
    "exec": End("sys.stdout.flush(); os.execv(sys.executable, [sys.executable, '-c', 'print(6)'])", False),
}
"""The ends."""


class Script(NamedTuple):
    """One script."""

    work: str
    end: str

    @property
    def text(self) -> str:
        """The text of the script."""
        body = "".join(f"    {line}\n" for line in WORKS[self.work].splitlines())
        return f'{_BEGIN}{body}\n\nif __name__ == "__main__":\n    main()\n    {ENDS[self.end].code}\n'


SCRIPTS = tuple(Script(work, end) for work in WORKS for end in ENDS)
