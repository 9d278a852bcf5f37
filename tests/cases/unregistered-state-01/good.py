import math
from typing import Optional

import torch
from torch import Tensor, nn


def phase_vocoder(spectrogram: Tensor, rate: float, phase_advance: Tensor) -> Tensor:
    """Changes the tempo of a complex spectrogram without changing its pitch."""
    time_steps = torch.arange(0, spectrogram.size(-1), rate, device=spectrogram.device, dtype=torch.float32)
    padded = nn.functional.pad(spectrogram, [0, 2])
    first = padded.index_select(-1, time_steps.long())
    second = padded.index_select(-1, (time_steps + 1).long())

    phase = second.angle() - first.angle() - phase_advance
    phase = phase - 2 * math.pi * torch.round(phase / (2 * math.pi)) + phase_advance
    phase_acc = torch.cumsum(phase, -1)
    alphas = time_steps % 1.0
    mag = alphas * second.abs() + (1 - alphas) * first.abs()
    return torch.polar(mag, phase_acc)


class TimeStretch(nn.Module):
    r"""Stretch a spectrogram in time without modifying pitch for a given rate.

    Args:
        hop_length (int): Length of hop between STFT windows.
        n_freq (int, optional): Number of filter banks. (Default: ``201``)
        fixed_rate (float or None, optional): Rate to speed up or slow down by.
    """

    def __init__(self, hop_length: int, n_freq: int = 201, fixed_rate: Optional[float] = None) -> None:
        super().__init__()
        self.fixed_rate = fixed_rate
        self.register_buffer("phase_advance", torch.linspace(0, math.pi * hop_length, n_freq)[..., None])

    def forward(self, complex_specgrams: Tensor, overriding_rate: Optional[float] = None) -> Tensor:
        rate = self.fixed_rate if overriding_rate is None else overriding_rate
        if rate is None:
            raise ValueError("If no fixed_rate is specified, must pass a valid rate to the forward method.")
        return phase_vocoder(complex_specgrams, rate, self.phase_advance)
