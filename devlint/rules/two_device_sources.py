"""DL111: one operation whose operands take their devices from two sources."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from devlint.model import Confidence, Draft, Kind, Operand, Operation, Severity, Symbol, SymbolKind
from devlint.operators import DeviceRule, find
from devlint.rules import wording
from devlint.rules.base import Example, Rule


class TwoDeviceSources(Rule[Operation]):
    """
    ## What it does
    Reports an operation with one operand on a device given by a name, such as `device`, and another
    operand on a device given by an attribute, such as `self.device`.

    ## Why it matters
    Nothing ensures that the two devices are equal. If a caller passes another device than the object was
    created with, the operation raises `Expected all tensors to be on the same device`. If no caller does,
    one of the two is redundant. Diffusers moved a result to `self.device` in a method that takes `device`
    (huggingface/diffusers#12309).

    ## Use instead
    Use one source: the argument if there is one, or the device of an input.

    ## When not to
    Ignore the finding where the class keeps the two devices equal. It is only `possible`, because most
    callers pass the device that the object has.

    ## References
    - [huggingface/diffusers#12309](https://github.com/huggingface/diffusers/pull/12309)
    """

    code = "DL111"
    name = "two-device-sources"
    severity = Severity.WARNING
    enabled = True
    event = Operation
    examples = (
        Example(
            bad="""
                import torch

                class Sampler:
                    def __init__(self, device):
                        self.device = torch.device(device)

                    def step(self, x: torch.Tensor, device: torch.device) -> torch.Tensor:
                        x = x.to(device)
                        scale = torch.ones(x.shape[0], device=self.device)
                        return x * scale  # error: [DL111]
            """,
            good="""
                import torch

                class Sampler:
                    def __init__(self, device):
                        self.device = torch.device(device)

                    def step(self, x: torch.Tensor, device: torch.device) -> torch.Tensor:
                        x = x.to(device)
                        scale = torch.ones(x.shape[0], device=device)
                        return x * scale
            """,
            confidence=Confidence.POSSIBLE,
        ),
        Example(
            bad="""
                import torch

                class Replay:
                    def __init__(self, size, device: torch.device):
                        self.device = device

                    def sample(self, rewards: torch.Tensor, gamma: torch.Tensor, device: torch.device):
                        rewards = rewards.to(self.device)
                        gamma = gamma.to(device)
                        return torch.cat([rewards, gamma])  # error: [DL111]
            """,
            good="""
                import torch

                class Replay:
                    def __init__(self, size, device: torch.device):
                        self.device = device

                    def sample(self, rewards: torch.Tensor, gamma: torch.Tensor):
                        rewards = rewards.to(self.device)
                        gamma = gamma.to(self.device)
                        return torch.cat([rewards, gamma])
            """,
            confidence=Confidence.POSSIBLE,
        ),
    )

    def check(self, event: Operation) -> Iterable[Draft]:
        """One draft for the first two operands whose devices come from two sources."""
        tensors = [operand for operand in event.operands if operand.kind is Kind.TENSOR and _source(operand)]
        pair = next((pair for pair in combinations(tensors, 2) if _are_two_sources(*pair)), None)
        operator = find(event.operator) if pair is not None else None
        if pair is None or operator is None:
            return
        if operator.rule not in (DeviceRule.SAME, DeviceRule.SAME_OR_0_DIM_HOST):
            return
        yield Draft(
            code=self.code,
            message=(
                f"{wording.whereabouts(pair[:1])} and {wording.whereabouts(pair[1:])} "
                f"may not match in {wording.operation(event)}"
            ),
            site=event.site,
            notes=(*wording.labels(pair), *wording.histories(pair)),
            help="use one of the two devices for both operands",
            cause=event.site,
            # Most callers pass the object's own device. None of five findings on released packages was true.
            confidence=Confidence.POSSIBLE,
        )


def _source(operand: Operand) -> str:
    """The name that holds the operand's device; empty if there is none."""
    device = operand.device
    if not isinstance(device, Symbol):
        return ""
    part_of_self = device.kind is SymbolKind.MODULE and device.name.startswith("self.")
    return device.name if device.kind is SymbolKind.DEVICE or part_of_self else ""


def _are_two_sources(left: Operand, right: Operand) -> bool:
    """Whether one device is held by a plain name and the other by an attribute of `self`."""
    names = sorted((_source(left), _source(right)), key=lambda name: name.startswith("self."))
    return not names[0].startswith("self.") and names[1].startswith("self.")
