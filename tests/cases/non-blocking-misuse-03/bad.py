from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import List, Optional

import torch

logger = logging.getLogger(__name__)


@dataclass
class Req:
    rid: str
    max_new_tokens: int
    eos_token_id: int
    output_ids: List[int] = field(default_factory=list)
    finished_reason: Optional[str] = None

    def check_finished(self) -> None:
        if self.output_ids[-1] == self.eos_token_id:
            self.finished_reason = "stop"
        elif len(self.output_ids) >= self.max_new_tokens:
            self.finished_reason = "length"


class BatchResultProcessor:
    """Turns the logits of one decoding step into the next token of each request."""

    def __init__(self, temperature: float, disable_overlap: bool = False):
        self.temperature = temperature
        self.disable_overlap = disable_overlap
        self.num_generated_tokens = 0

    def sample(self, logits: torch.Tensor) -> torch.Tensor:
        if self.temperature == 0:
            return torch.argmax(logits, dim=-1)
        probs = torch.softmax(logits / self.temperature, dim=-1)
        return torch.multinomial(probs, num_samples=1).view(-1)

    def process_batch_result_decode(self, reqs: List[Req], logits: torch.Tensor) -> List[Req]:
        next_token_ids = self.sample(logits)
        next_token_ids = next_token_ids.to("cpu", non_blocking=True).tolist()  # error: [DL305]
        self.num_generated_tokens += len(reqs)

        for req, next_token_id in zip(reqs, next_token_ids):
            req.output_ids.append(next_token_id)
            req.check_finished()

        finished = [req for req in reqs if req.finished_reason is not None]
        logger.debug("%d of %d requests finished", len(finished), len(reqs))
        return finished
