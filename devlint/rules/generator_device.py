"""DL109: a random number generator on another device than what it draws for."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.model import Draft, Kind, Operand, Operation, Relation, Severity
from devlint.operators import DeviceRule, find
from devlint.rules import wording
from devlint.rules.base import Example, Rule
from devlint.rules.mismatch import generator_relation


class GeneratorDevice(Rule[Operation]):
    """
    ## What it does
    Reports a `torch.Generator` whose device type differs from the device type of the tensor that it
    fills.

    ## Why it matters
    `torch.Generator()` is on the CPU, whatever the default device is. With an operation on an accelerator
    it raises `Expected a 'cuda' device type for generator but found 'cpu'`. Nothing happens on a machine
    without an accelerator. accelerate and TorchRL had this bug in code that sets seeds.

    ## Use instead
    Create the generator on the device of the result: `torch.Generator(device=...)`. To get the same
    numbers on every machine, draw on the CPU and move the result.

    ## When not to
    Only the device type matters: a generator on `cuda:0` may fill tensors on `cuda:1`, and is not
    reported.

    ## References
    - [huggingface/accelerate#3420](https://github.com/huggingface/accelerate/pull/3420)
    - [pytorch/rl@6799a7f](https://github.com/pytorch/rl/commit/6799a7f5d)
    - [`torch.Generator`](https://docs.pytorch.org/docs/stable/generated/torch.Generator.html)
    """

    code = "DL109"
    name = "generator-device"
    severity = Severity.ERROR
    enabled = True
    event = Operation
    examples = (
        Example(
            bad="""
                import torch

                def noise(shape, seed, device):
                    generator = torch.Generator().manual_seed(seed)
                    return torch.randn(shape, generator=generator, device=device)  # error: [DL109]
            """,
            good="""
                import torch

                def noise(shape, seed, device):
                    generator = torch.Generator(device=device).manual_seed(seed)
                    return torch.randn(shape, generator=generator, device=device)
            """,
        ),
        Example(
            bad="""
                import torch

                rng = torch.Generator()
                rng.manual_seed(0)
                weights = torch.ones(10, device="cuda")
                picked = torch.multinomial(weights, 3, generator=rng)  # error: [DL109]
            """,
            good="""
                import torch

                rng = torch.Generator(device="cuda")
                rng.manual_seed(0)
                weights = torch.ones(10, device="cuda")
                picked = torch.multinomial(weights, 3, generator=rng)
            """,
        ),
    )

    def check(self, event: Operation) -> Iterable[Draft]:
        """One draft for a generator whose device type is not that of the target."""
        generator = next((operand for operand in event.operands if operand.kind is Kind.GENERATOR), None)
        target = _target(event) if generator is not None else None
        if generator is None or target is None:
            return
        relation = generator_relation(generator.device, target.device)
        if relation in (Relation.SAME, Relation.UNKNOWN):
            return
        yield Draft(
            code=self.code,
            message=(
                f"{wording.is_on(generator)}, but {wording.operation(event)} draws numbers on "
                f"{wording.place(target)}"
            ),
            site=event.site,
            notes=(*wording.labels((generator,)), *wording.histories((generator, target))),
            help="create the generator on that device: `torch.Generator(device=…)`",
            cause=event.site,
        )


def _target(event: Operation) -> Operand | None:
    """The operand that determines the device of the result: the device argument, else the first tensor.

    A factory without either uses the default device, which is an operand of the event if the observer knows
    it.
    """
    device = next((operand for operand in event.operands if operand.kind is Kind.DEVICE), None)
    if device is not None:
        return device
    operator = find(event.operator)
    if operator is None or operator.rule is DeviceRule.FACTORY:
        return None
    return next((operand for operand in event.operands if operand.kind is Kind.TENSOR), None)
