"""Methods that a training framework calls once for each batch, by the frameworks' documentation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from devlint.source.machine.heap.files import Class

STEP_METHODS = frozenset({"training_step", "validation_step", "test_step", "predict_step", "train_step"})
"""Methods of a module that a training framework calls for each batch."""


class _Convention(NamedTuple):
    """What a framework does with a class of the project that derives from one of its own."""

    bases: frozenset[str]
    batches: Mapping[str, tuple[str, ...]]
    """The methods that it calls for each batch, and their arguments that hold tensors, which are on the
    accelerator then. Overriding methods keep the names, since frameworks pass some by name."""


_TRAINERS = frozenset(
    {"transformers.Seq2SeqTrainer", "transformers.Trainer", "transformers.trainer.Trainer",
     "transformers.trainer_seq2seq.Seq2SeqTrainer", "trl.DPOTrainer", "trl.RewardTrainer", "trl.SFTTrainer"}
)  # fmt: skip
_TRAINER_CALLBACKS = frozenset(
    {"transformers.TrainerCallback", "transformers.trainer_callback.TrainerCallback"}
)
_LIGHTNING_CALLBACKS = frozenset(
    f"{package}{inside}.Callback"
    for package in ("lightning", "lightning.pytorch", "pytorch_lightning")
    for inside in ("", ".callbacks", ".callbacks.callback")
)
_CONVENTIONS = (
    # transformers/trainer.py: `training_step` moves the batch before it calls `compute_loss`.
    _Convention(_TRAINERS, {"compute_loss": ("inputs",)}),
    _Convention(_TRAINER_CALLBACKS, dict.fromkeys(("on_step_begin", "on_step_end", "on_substep_end"), ())),
    # lightning/pytorch/loops/training_epoch_loop.py: the batch has been moved to the module's device.
    _Convention(
        _LIGHTNING_CALLBACKS,
        {
            f"on_{stage}_batch_{moment}": ("outputs", "batch")
            for stage in ("train", "validation", "test")
            for moment in ("start", "end")
        },
    ),
)


def batch_arguments(made: Class, name: str) -> tuple[str, ...] | None:
    """The arguments with tensors of a method that a framework calls for each batch; None if it does not."""
    for each in _CONVENTIONS:
        if name in each.batches and not each.bases.isdisjoint(made.externals):
            return each.batches[name]
    return None
