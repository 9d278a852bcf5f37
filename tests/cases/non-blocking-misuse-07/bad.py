import torch
from torch import nn


class TalkerModelRunner:
    """Runs the autoregressive talker and hands its hidden states to the vocoder on the host.

    Args:
        model: The talker.
        device: Where the talker runs.
        max_steps: The longest utterance in steps.
        hidden_size: Width of the hidden states.
    """

    def __init__(self, model: nn.Module, device: torch.device, max_steps: int, hidden_size: int):
        self.device = device
        self.model = model.to(device).eval()
        self.max_steps = max_steps
        self.hidden_size = hidden_size
        self.host_states = self._make_buffer(max_steps, hidden_size)

    def _make_buffer(self, *size: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        return torch.empty(*size, dtype=dtype)  # also: [DL205|DL305]

    def _wait_for_copies(self) -> None:
        if self.device.type != "cpu":
            torch.accelerator.synchronize(self.device)

    @torch.inference_mode()
    def generate(self, codes: torch.Tensor, num_steps: int) -> torch.Tensor:
        if num_steps > self.max_steps:
            raise ValueError(f"{num_steps} steps asked for, {self.max_steps} are the most")
        codes = codes.to(self.device)

        for step in range(num_steps):
            logits, hidden = self.model(codes)
            next_codes = logits[:, -1].argmax(dim=-1, keepdim=True)
            codes = torch.cat([codes, next_codes], dim=-1)
            self.host_states[step].copy_(hidden[0, -1], non_blocking=True)  # error: [DL205|DL305]

        self._wait_for_copies()
        return self.host_states[:num_steps].clone()
