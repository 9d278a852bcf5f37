"""DL413: a host tensor meets what a function is given, of which nothing shows that it may be elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from devlint.model import Draft, Operation, Severity
from devlint.rules.base import Example, Rule
from devlint.rules.cross_device_operation import CrossDeviceOperation
from devlint.rules.factory_without_device import FactoryWithoutDevice
from devlint.rules.index_device import IndexDevice
from devlint.rules.module_and_input import ModuleAndInput


class MismatchWithArgument(Rule[Operation]):
    """
    ## What it does
    Reports what DL101, DL102, DL106 and DL108 report, where all that speaks for another device is that a
    plain function, or a method of a class that is no module, was given the tensor by its caller, or that a
    method of a module that gives nothing back works on the module's state; and host tensors that a module
    gives to a part of its own that is no layer of torch, which may take them there.

    ## Why it matters
    A function of a library is called with tensors of any device sooner or later. Of 122 device bugs that were
    repaired or reported in public, 15 are of this kind: a helper that makes a mask, an index or a constant on
    the CPU and joins it to its argument.

    ## Use instead
    Give the device of the argument: `torch.arange(n, device=x.device)`, or make it like the argument:
    `x.new_zeros(n)`.

    ## When not to
    In programs whose functions prepare data, plot or evaluate on the host. Text does not tell these from the
    others, so this rule is right about half of the time: it is for libraries that promise to work on any
    device. In a module's forward and in methods of it that give something back, in what these call, on hot
    paths, and where the function asks for the device of just this argument or brings it down, the rules named
    above speak, and this one does not.

    ## References
    - [Lightning-AI/torchmetrics#606](https://github.com/Lightning-AI/torchmetrics/pull/606)
    - [pytorch/pytorch#73980](https://github.com/pytorch/pytorch/pull/73980)
    """

    code = "DL413"
    name = "mismatch-with-argument"
    severity = Severity.WARNING
    enabled = False
    assuming = True
    event = Operation
    yields_to = ("DL101", "DL102", "DL106", "DL108")
    examples = (
        Example(
            bad="""
                import torch

                def mask_future(scores: torch.Tensor) -> torch.Tensor:
                    length = scores.shape[-1]
                    future = torch.ones(length, length, dtype=torch.bool).triu(1)  # error: [DL413]
                    return scores.masked_fill(future, float("-inf"))
            """,
            good="""
                import torch

                def mask_future(scores: torch.Tensor) -> torch.Tensor:
                    length = scores.shape[-1]
                    future = torch.ones(length, length, dtype=torch.bool, device=scores.device).triu(1)
                    return scores.masked_fill(future, float("-inf"))
            """,
            fixed="""
                import torch

                def mask_future(scores: torch.Tensor) -> torch.Tensor:
                    length = scores.shape[-1]
                    future = torch.ones(length, length, dtype=torch.bool, device=scores.device).triu(1)
                    return scores.masked_fill(future, float("-inf"))
            """,
        ),
        Example(
            bad="""
                import torch

                class Schedule:
                    def __init__(self, steps: int):
                        self.sigmas = torch.linspace(1.0, 0.0, steps)  # error: [DL413]

                    def mix(self, sample: torch.Tensor, noise: torch.Tensor, steps: list[int]):
                        sigma = self.sigmas[steps]
                        return torch.einsum("b,b...->b...", sigma, noise) + sample
            """,
            good="""
                import torch

                class Schedule:
                    def __init__(self, steps: int):
                        self.sigmas = torch.linspace(1.0, 0.0, steps)

                    def mix(self, sample: torch.Tensor, noise: torch.Tensor, steps: list[int]):
                        sigma = self.sigmas[steps].to(noise.device)
                        return torch.einsum("b,b...->b...", sigma, noise) + sample
            """,
        ),
    )

    def check(self, event: Operation) -> Iterable[Draft]:
        """What the most specific of the rules that judge operands says."""
        for judge in _JUDGES:
            drafts = list(judge.check(event))
            if drafts:
                return [replace(draft, code=self.code) for draft in drafts]
        return []


_JUDGES: tuple[Rule[Operation], ...] = (
    FactoryWithoutDevice(),
    IndexDevice(),
    ModuleAndInput(),
    CrossDeviceOperation(),
)
"""The most specific first."""
