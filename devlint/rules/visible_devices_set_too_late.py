"""DL404: `CUDA_VISIBLE_DEVICES` is set after CUDA has read it."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Draft, Note, Setting, SettingKind, Severity
from devlint.rules.base import Example, Rule
from devlint.rules.wording import code


class VisibleDevicesSetTooLate(Rule[Setting]):
    """
    ## What it does
    Reports an assignment to `os.environ["CUDA_VISIBLE_DEVICES"]` after code that starts CUDA.

    ## Why it matters
    The driver reads the variable once, when it starts in the process. A later assignment has no effect:
    the program runs on another GPU than intended. Importing torch does not start CUDA, but every use of a
    device does, and so does `torch.cuda.is_available()`, unless `PYTORCH_NVML_BASED_CUDA_CHECK` is set.

    ## Use instead
    Set the variable in the shell, or before torch is imported. Or select the device in the program:
    `torch.device("cuda:1")`, `torch.cuda.set_device(1)`.

    ## When not to
    Ignore the finding where the variable is meant for child processes, which inherit it. Where the program
    then starts one (`subprocess.run`, `os.system`), nothing is reported.

    ## References
    - [PyTorch: CUDA environment
      variables](https://docs.pytorch.org/docs/stable/cuda_environment_variables.html)
    - [ultralytics/yolov5#1701](https://github.com/ultralytics/yolov5/pull/1701)
    """

    code = "DL404"
    name = "visible-devices-set-too-late"
    severity = Severity.ERROR
    enabled = True
    event = Setting
    about = frozenset({SettingKind.VISIBLE_DEVICES_TOO_LATE})
    examples = (
        Example(
            bad="""
                import os

                import torch

                device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
                os.environ["CUDA_VISIBLE_DEVICES"] = "1"  # error: [DL404]
                x = torch.zeros(8, device=device)
            """,
            good="""
                import os

                os.environ["CUDA_VISIBLE_DEVICES"] = "1"

                import torch

                device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
                x = torch.zeros(8, device=device)
            """,
        ),
        Example(
            bad="""
                import os

                import torch
                from torch import nn

                def main(arguments):
                    print("running on", torch.cuda.get_device_name())
                    os.environ["CUDA_VISIBLE_DEVICES"] = "2,3"  # error: [DL404]
                    return nn.DataParallel(nn.Linear(8, 8))
            """,
            good="""
                import os

                import torch
                from torch import nn

                def main(arguments):
                    os.environ["CUDA_VISIBLE_DEVICES"] = "2,3"
                    print("running on", torch.cuda.get_device_name())
                    return nn.DataParallel(nn.Linear(8, 8))
            """,
        ),
    )

    def check(self, event: Setting) -> Iterable[Draft]:
        """The assignment."""
        before = event.detail or "work that starts CUDA"
        yield Draft(
            code=self.code,
            message=f"`CUDA_VISIBLE_DEVICES` is set to {code(event.value)} too late, after {before}",
            site=event.site,
            notes=(Note(event.related, "CUDA started here"),) if event.related is not None else (),
            help="set it in the shell or before torch is imported, or use a device such as `cuda:1`",
            cause=event.site,
        )
