import warnings
from typing import Optional

import torch
from torch import Tensor


class NotPSDError(RuntimeError):
    pass


class NumericalWarning(RuntimeWarning):
    pass


def psd_safe_cholesky(
    A: Tensor, out: Optional[Tensor] = None, jitter: float = 1e-6, max_tries: int = 3
) -> Tensor:
    """Compute the Cholesky decomposition of A. If A is only p.s.d, add a small jitter to the diagonal.

    Args:
        A: The tensor to compute the Cholesky decomposition of
        out: The tensor that takes the factor
        jitter: The jitter to add to the diagonal of A in case A is only p.s.d.
        max_tries: Number of attempts (with successively increasing jitter) to make before raising an error.
    """
    if out is not None:
        out = (out, torch.empty(A.shape[:-2], dtype=torch.int32))  # error: [DL102]

    L, info = torch.linalg.cholesky_ex(A, out=out)
    if not torch.any(info):
        return L

    Aprime = A.clone()
    jitter_prev = 0.0
    for i in range(max_tries):
        jitter_new = jitter * (10**i)
        Aprime.diagonal(dim1=-1, dim2=-2).add_(jitter_new - jitter_prev)
        jitter_prev = jitter_new
        warnings.warn(f"A not p.d., added jitter of {jitter_new:.1e} to the diagonal", NumericalWarning)
        L, info = torch.linalg.cholesky_ex(Aprime, out=out)
        if not torch.any(info):  # also: [DL202]
            return L
    raise NotPSDError(f"Matrix not positive definite after adding {jitter_new:.1e} to its diagonal.")
