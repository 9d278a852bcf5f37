"""DL405: `CUDA_LAUNCH_BLOCKING` is left on."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Draft, Setting, SettingKind, Severity
from devlint.rules.base import Example, Rule
from devlint.rules.wording import code

_OFF = frozenset({"", "0"})


class LaunchBlockingLeftOn(Rule[Setting]):
    """
    ## What it does
    Reports code that sets `CUDA_LAUNCH_BLOCKING` to a value other than 0.

    ## Why it matters
    The variable makes the host wait after every kernel, so that an error is raised where it happened. It
    is meant for debugging. In shipped code it prevents all overlap of host and device, for every program
    that imports it.

    ## Use instead
    Set it for one run, in the shell: `CUDA_LAUNCH_BLOCKING=1 python train.py`.

    ## When not to
    Ignore the finding in a script for debugging.

    ## References
    - [PyTorch: asynchronous
      execution](https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution)
    - [PyTorch: CUDA environment
      variables](https://docs.pytorch.org/docs/stable/cuda_environment_variables.html)
    """

    code = "DL405"
    name = "launch-blocking-left-on"
    severity = Severity.WARNING
    enabled = True
    event = Setting
    about = frozenset({SettingKind.LAUNCH_BLOCKING})
    examples = (
        Example(
            bad="""
                import os

                os.environ["CUDA_LAUNCH_BLOCKING"] = "1"  # error: [DL405]

                import torch

                model = torch.nn.Linear(8, 8)
            """,
            good="""
                import torch

                model = torch.nn.Linear(8, 8)
            """,
        ),
        Example(
            bad="""
                import os

                import torch

                def main(arguments):
                    os.environ.setdefault("CUDA_LAUNCH_BLOCKING", "1")  # error: [DL405]
                    torch.manual_seed(arguments.seed)
            """,
            good="""
                import os

                import torch

                def main(arguments):
                    os.environ.setdefault("CUDA_LAUNCH_BLOCKING", "0")
                    torch.manual_seed(arguments.seed)
            """,
        ),
    )

    def check(self, event: Setting) -> Iterable[Draft]:
        """The assignment."""
        if event.value in _OFF:
            return
        yield Draft(
            code=self.code,
            message=f"`CUDA_LAUNCH_BLOCKING` is set to {code(event.value)}: the host waits for each kernel",
            site=event.site,
            help="remove it, and set it in the shell for the run that needs it",
            cause=event.site,
        )
