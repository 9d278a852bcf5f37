"""DL301: a tensor is made on the host, only to be moved to a device."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import (
    Action,
    Applicability,
    Concrete,
    Confidence,
    Draft,
    EditRequest,
    FixRequest,
    Kind,
    Move,
    OriginStep,
    Severity,
    Step,
    is_host,
    is_of_tensor,
    may_be_accelerator,
)
from devlint.operators import ArgumentKind, DeviceRule, find, takes_host_data
from devlint.rules.base import GOOD, Example, Rule
from devlint.rules.wording import operator

_EXACT = frozenset({"torch.zeros", "torch.ones", "torch.full", "torch.empty", "torch.eye", "torch.arange"})
"""Factories with the same bits on every device; so have ranges of whole numbers. Others may round
differently."""
_DISTRIBUTIONS = "torch.distributions."


class MadeOnHostThenMoved(Rule[Move]):
    """
    ## What it does
    Reports a factory call without `device=` whose result is moved at once, such as
    `torch.zeros(n).to(device)`, or by a later statement of the same turn of a loop, also if a helper makes
    it that does nothing else; and a sample of a distribution of numbers, such as
    `Normal(0, 1).sample(size).to(device)`. Outside of hot paths, where the
    copy costs little, the finding is `possible`, unless a function moves it to the device of an argument.

    Not reported:

    - a call with a generator, pinned memory or `out=`, which require the host
    - `torch.tensor(data)`, whose data are on the host anyway

    ## Why it matters
    The host allocates and fills memory that nothing else reads, the copy comes from pageable memory, and
    the host waits for it. In metaseq 436 calls that built a mask took 0.42 s by way of the host and 0.09
    s on the device (facebookresearch/metaseq#290). Transformers' causal mask, built this way in every
    forward, slowed down training on eight GPUs (huggingface/transformers#22378).

    ## Use instead
    Pass the device to the factory.

    - The fix is safe for factories that write the same bits everywhere: `zeros`, `ones`, `full`, `empty`,
      `eye`, and `arange` of whole numbers.
    - It is unsafe for the rest: a random factory draws other numbers on the device, and other ranges may
      be rounded differently.

    ## When not to
    Ignore the finding where random numbers must be the same as on the host.

    ## References
    - [facebookresearch/metaseq#290](https://github.com/facebookresearch/metaseq/pull/290)
    - [huggingface/transformers#22378](https://github.com/huggingface/transformers/pull/22378)
    - [ultralytics/yolov5#6068](https://github.com/ultralytics/yolov5/pull/6068)
    - [PyTorch: performance tuning
      guide](https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html), "Create tensors directly
      on the target device"
    """

    code = "DL301"
    name = "made-on-host-then-moved"
    severity = Severity.WARNING
    enabled = True
    event = Move
    examples = (
        Example(
            bad="""
                import torch
                from torch import nn

                class Attention(nn.Module):
                    def forward(self, x):
                        n = x.shape[1]
                        mask = torch.full((n, n), float("-inf")).to(x.device)  # error: [DL301]
                        return x + mask.triu(1)
            """,
            good="""
                import torch
                from torch import nn

                class Attention(nn.Module):
                    def forward(self, x):
                        n = x.shape[1]
                        mask = torch.full((n, n), float("-inf"), device=x.device)
                        return x + mask.triu(1)
            """,
            fixed=GOOD,
        ),
        Example(
            bad="""
                import torch

                def buffers(count, size):
                    return [torch.empty(size).cuda() for _ in range(count)]  # error: [DL301]
            """,
            good="""
                import torch

                def buffers(count, size):
                    return [torch.empty(size, device="cuda") for _ in range(count)]
            """,
            fixed=GOOD,
            confidence=Confidence.POSSIBLE,
        ),
        Example(
            bad="""
                import torch
                from torch import nn

                class Noise(nn.Module):
                    def forward(self, x):
                        noise = torch.randn(x.shape[0], 1).to(x.device)  # error: [DL301]
                        return x + 0.1 * noise
            """,
            good="""
                import torch
                from torch import nn

                class Noise(nn.Module):
                    def forward(self, x):
                        noise = torch.randn(x.shape[0], 1, device=x.device)
                        return x + 0.1 * noise
            """,
            fixed=GOOD,
            unsafe=True,
        ),
        Example(
            bad="""
                import torch

                def frequencies(x: torch.Tensor) -> torch.Tensor:
                    steps = torch.arange(0.0, 1.0, 0.1).to(x.device)  # error: [DL301]
                    return x[:, None] * steps
            """,
            good="""
                import torch

                def frequencies(x: torch.Tensor) -> torch.Tensor:
                    steps = torch.arange(0.0, 1.0, 0.1, device=x.device)
                    return x[:, None] * steps
            """,
            fixed=GOOD,
            unsafe=True,
        ),
    )

    def check(self, event: Move) -> Iterable[Draft]:
        """A move of the result of a factory call that could take the device."""
        made = event.operand.origin.made()
        if made is None or event.operand.kind is not Kind.TENSOR:
            return
        if made.site != event.operand.site and not event.made_inline:
            return
        if not event.kept or not may_be_accelerator(event.target) or not _could_take_device(made):
            return
        yield Draft(
            code=self.code,
            message=f"{operator(made.operator)} creates a host tensor that is then copied to {event.target}",
            site=event.site,
            help=_help(made),
            fix=_fix(event, made) if made.site == event.operand.site else None,
            cause=event.site,
            # Outside of hot paths the copy costs next to nothing; what works on the tensors of any caller is
            # called for each batch, most likely.
            confidence=Confidence.POSSIBLE if event.hot is None and not is_of_tensor(event.target) else None,
        )


def _help(made: OriginStep) -> str:
    if made.operator.startswith(_DISTRIBUTIONS):
        return "give the distribution tensors on the device for numbers, and remove the move"
    return f"pass the device to {operator(made.operator)}, and remove the move"


def _could_take_device(made: OriginStep) -> bool:
    """Whether the step is a factory call that is on the host by default, and can run on a device as well; or
    draws from a distribution of numbers."""
    if made.operator.startswith(_DISTRIBUTIONS):
        return made.step is Step.MADE and is_host(made.device)
    if made.step is not Step.MADE or not made.implicit or made.tied or not is_host(made.device):
        return False
    row = find(made.operator)
    if row is None:
        # A function of the program that takes a device and got none.
        return not made.operator.startswith("torch.")
    return (
        row.rule is DeviceRule.FACTORY
        and not takes_host_data(made.operator)
        and any(argument.kind is ArgumentKind.DEVICE for argument in row.arguments)
    )


def _fix(event: Move, made: OriginStep) -> FixRequest | None:
    """Add the device to the factory call and remove the move, unless the move does something else, too."""
    if event.changes_dtype or event.copy or made.operator.startswith(_DISTRIBUTIONS):
        return None
    if event.target_site is not None:
        device = EditRequest(made.site, Action.APPEND_ARGUMENT, "device={}", quoted=event.target_site)
    elif isinstance(event.target, Concrete):
        device = EditRequest(made.site, Action.APPEND_ARGUMENT, f'device="{event.target}"')
    else:
        return None
    is_exact = made.operator in _EXACT and not made.rounds
    return FixRequest(
        message="create it on the device",
        applicability=Applicability.SAFE if is_exact else Applicability.UNSAFE,
        edits=(device, EditRequest(event.site, Action.KEEP_RECEIVER)),
    )
