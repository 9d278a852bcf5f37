"""Conditional random field."""
from typing import Optional

import torch
from torch import nn


class ConditionalRandomField(nn.Module):
    """Linear-chain CRF that gives the negative log-likelihood of tag sequences.

    Parameters
    ----------
    num_tags : `int`, required
        The number of tags.
    """

    def __init__(self, num_tags: int) -> None:
        super().__init__()
        self.num_tags = num_tags
        self.transitions = nn.Parameter(torch.empty(num_tags, num_tags))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.xavier_normal_(self.transitions)

    def _input_likelihood(self, logits: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        sequence_length = logits.size(1)
        alpha = logits[:, 0]
        for i in range(1, sequence_length):
            inner = alpha.unsqueeze(2) + logits[:, i].unsqueeze(1) + self.transitions
            step = mask[:, i].unsqueeze(1)
            alpha = torch.logsumexp(inner, 1) * step + alpha * ~step  # also: [DL101]
        return torch.logsumexp(alpha, 1)

    def _joint_likelihood(self, logits: torch.Tensor, tags: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        emit = logits.gather(2, tags.unsqueeze(2)).squeeze(2) * mask  # also: [DL101]
        moves = self.transitions[tags[:, :-1], tags[:, 1:]] * mask[:, 1:]  # also: [DL101]
        return emit.sum(1) + moves.sum(1)

    def forward(
        self, inputs: torch.Tensor, tags: torch.Tensor, mask: Optional[torch.Tensor] = None
    ) -> torch.Tensor:
        """Computes the log likelihood of `tags` given `inputs`."""
        if mask is None:
            mask = torch.ones(*tags.size(), dtype=torch.bool)  # error: [DL102]

        log_denominator = self._input_likelihood(inputs, mask)
        log_numerator = self._joint_likelihood(inputs, tags, mask)
        return torch.sum(log_numerator - log_denominator)
