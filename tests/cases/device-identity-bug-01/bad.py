"""Transducer loss."""

import logging

import torch

logger = logging.getLogger(__name__)

try:
    from speechbrain.nnet.loss.transducer_loss import Transducer
except ImportError:
    Transducer = None


def transducer_loss(logits, targets, input_lens, target_lens, blank_index, reduction="mean"):
    """Computes the transducer loss, with the CUDA kernel where that is possible.

    Arguments
    ---------
    logits : torch.Tensor
        Predicted tensor, of shape [batch, maxT, maxU, num_labels].
    targets : torch.Tensor
        Target tensor, without any blanks, of shape [batch, target_len].
    input_lens : torch.Tensor
        Length of each utterance.
    target_lens : torch.Tensor
        Length of each target sequence.
    blank_index : int
        The location of the blank symbol among the label indices.
    reduction : str
        Specifies the reduction to apply to the output: 'mean' | 'batchmean' | 'sum'.
    """
    input_lens = (input_lens * logits.shape[1]).round().int()
    target_lens = (target_lens * targets.shape[1]).round().int()
    log_probs = torch.log_softmax(logits, dim=-1)

    on_cuda = log_probs.device == targets.device == input_lens.device == target_lens.device == "cuda"  # error: [DL112]
    if Transducer is not None and on_cuda:
        return Transducer.apply(log_probs, targets, input_lens, target_lens, blank_index, reduction)

    logger.warning("The CUDA transducer loss is not available, torchaudio's is used.")
    from torchaudio.functional import rnnt_loss

    return rnnt_loss(
        logits,
        targets.int(),
        input_lens,
        target_lens,
        blank=blank_index,
        reduction="mean" if reduction == "batchmean" else reduction,
        fused_log_softmax=False,
    )
