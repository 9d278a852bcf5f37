"""DL403: a device is decided when the module is imported."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Draft, Setting, SettingKind, Severity
from devlint.rules.base import Example, Rule
from devlint.rules.wording import code


class DeviceResolvedAtImport(Rule[Setting]):
    """
    ## What it does
    Reports a device that is chosen when a module is imported: in a default argument, in a class body, or
    at the top level of a module that others import.

    ## Why it matters
    The choice is made before the program has read its arguments, selected its devices or forked its
    workers. In YOLOv5 a default argument was evaluated before `--device` could set `CUDA_VISIBLE_DEVICES`
    (ultralytics/yolov5#1701). Importing a library can also start CUDA in a process that does not need it
    (DLR-RM/stable-baselines3#194).

    ## Use instead
    Choose the device when the function is called: use a default of `None`, and choose inside.

    ## When not to
    Ignore the finding in a script that nothing imports.

    ## References
    - [ultralytics/yolov5#1701](https://github.com/ultralytics/yolov5/pull/1701)
    - [DLR-RM/stable-baselines3#194](https://github.com/DLR-RM/stable-baselines3/pull/194)
    """

    code = "DL403"
    name = "device-resolved-at-import"
    severity = Severity.WARNING
    enabled = False
    event = Setting
    about = frozenset({SettingKind.RESOLVED_AT_IMPORT})
    examples = (
        Example(
            bad="""
                import torch

                def warm_up(
                    size: int,
                    device=torch.device("cuda:0" if torch.cuda.is_available() else "cpu"),  # error: [DL403]
                ) -> torch.Tensor:
                    return torch.zeros(1, 3, size, size, device=device)
            """,
            good="""
                import torch

                def warm_up(size: int, device: torch.device | None = None) -> torch.Tensor:
                    if device is None:
                        device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
                    return torch.zeros(1, 3, size, size, device=device)
            """,
        ),
        Example(
            bad="""
                import torch

                class Sampler:
                    def __init__(
                        self,
                        n,
                        device="cuda" if torch.cuda.is_available() else "cpu",  # error: [DL403]
                    ):
                        self.weights = torch.ones(n, device=device)
            """,
            good="""
                import torch

                class Sampler:
                    def __init__(self, n, device=None):
                        if device is None:
                            device = "cuda" if torch.cuda.is_available() else "cpu"
                        self.weights = torch.ones(n, device=device)
            """,
        ),
    )

    def check(self, event: Setting) -> Iterable[Draft]:
        """The expression."""
        yield Draft(
            code=self.code,
            message=f"{code(event.value)} is evaluated once, when the module is imported",
            site=event.site,
            help="use a default of `None`, and choose the device inside the function",
            cause=event.site,
        )
