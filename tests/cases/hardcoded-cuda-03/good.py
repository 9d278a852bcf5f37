import warnings

import numpy as np
import torch

from .kernels import alignment_kernel, triton_available


def follow(steps: np.ndarray) -> np.ndarray:
    """Walk back through a table of steps (0 both, 1 up, 2 left) and return the path as pairs of rows and columns."""
    moves = {0: (1, 1), 1: (1, 0), 2: (0, 1)}
    row, column = steps.shape[0] - 1, steps.shape[1] - 1
    path = [(row, column)]
    while row > 0 or column > 0:
        down, right = (0, 1) if row == 0 else (1, 0) if column == 0 else moves[int(steps[row, column])]
        row, column = row - down, column - right
        path.append((row, column))
    return np.array(path[::-1])


def align_triton(x: torch.Tensor, max_tokens: int = 1024) -> np.ndarray:
    n_tokens, n_frames = x.shape
    assert n_tokens < max_tokens, f"at most {max_tokens} tokens can be aligned"

    cost = torch.full((n_frames + 1, n_tokens + 1), np.inf, device=x.device)
    cost[:, 0] = 0
    steps = torch.zeros_like(cost, dtype=torch.int32)
    frames = x.T.contiguous()

    grid = (1,)
    alignment_kernel[grid](cost, steps, frames, frames.stride(0), cost.stride(0), n_tokens, n_frames, BLOCK=max_tokens)
    return follow(steps[1:, 1:].T.cpu().numpy())


def align(x: torch.Tensor, reference) -> np.ndarray:
    """Align tokens with audio frames, on the GPU if the input lies there and Triton is installed."""
    if x.is_cuda and triton_available():
        try:
            return align_triton(x)
        except RuntimeError as error:
            warnings.warn(f"the Triton kernel could not be launched ({error}); using the slow path")
    return follow(reference(x.double().cpu().numpy()))
