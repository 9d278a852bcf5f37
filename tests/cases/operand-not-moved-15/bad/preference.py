"""Preference optimisation of a policy whose layers are spread over two GPUs."""

import torch
import torch.nn.functional as F
from metering import LossMeter
from torch import nn

FIRST, LAST = torch.device("cuda:0"), torch.device("cuda:1")


class PreferenceTrainer:
    """Widens the margin between chosen and rejected completions.

    Args:
        body: the lower half of the policy, which is put on the first GPU.
        head: the upper half, which is put on the last one.
        beta: strength of the pull towards the reference.
    """

    def __init__(self, body: nn.Module, head: nn.Module, beta: float = 0.1) -> None:
        self.body = body.to(FIRST)
        self.head = head.to(LAST)
        self.beta = beta
        parameters = [*self.body.parameters(), *self.head.parameters()]
        self.optimizer = torch.optim.AdamW(parameters, lr=1e-6)

    def score(self, tokens: torch.Tensor) -> torch.Tensor:
        hidden = self.body(tokens.to(FIRST))
        return self.head(hidden.to(LAST)).squeeze(-1)

    def train(self, batches, log, log_every: int = 10) -> None:
        meter = LossMeter(FIRST)
        for step, (chosen, rejected) in enumerate(batches, 1):
            margin = self.score(chosen) - self.score(rejected)
            loss = -F.logsigmoid(self.beta * margin).mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            meter.add(loss.detach())  # error: [DL101]
            if step % log_every == 0:
                log(step, meter.report())
