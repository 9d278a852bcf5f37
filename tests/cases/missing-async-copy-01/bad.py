from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class MultiModalItem:
    modality: str
    data: torch.Tensor


def group_by_modality(items: Sequence[MultiModalItem], device: torch.device) -> Iterable[tuple[str, list[torch.Tensor]]]:
    """Yield the tensors of each modality on `device`, in the order of the items."""
    groups: dict[str, list[torch.Tensor]] = defaultdict(list)
    for item in items:
        groups[item.modality].append(item.data.to(device))  # error: [DL304]
    yield from groups.items()


class EncoderRunner:
    def __init__(self, encoders: dict[str, nn.Module], device: torch.device):
        self.device = device
        self.encoders = {name: encoder.to(device) for name, encoder in encoders.items()}
        self.encoder_cache: dict[str, list[torch.Tensor]] = {}

    @torch.inference_mode()
    def execute(self, items_by_request: dict[str, list[MultiModalItem]]) -> None:
        """Run the encoders of all requests and cache what they return."""
        for request_id, items in items_by_request.items():
            outputs: list[torch.Tensor] = []
            for modality, tensors in group_by_modality(items, self.device):
                batch = torch.stack(tensors)
                outputs.extend(self.encoders[modality](batch).unbind(0))
            self.encoder_cache[request_id] = outputs

    def gather(self, request_ids: list[str]) -> torch.Tensor:
        parts = [t for request_id in request_ids for t in self.encoder_cache[request_id]]
        return torch.cat(parts)
