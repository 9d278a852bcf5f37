"""Restoring the state of a distributed run from a checkpoint folder."""

import logging
import random
from pathlib import Path

import numpy as np
import torch

logger = logging.getLogger(__name__)

MODEL_NAME = "pytorch_model"
OPTIMIZER_NAME = "optimizer"
RNG_STATE_NAME = "random_states"


def _numbered(folder, stem, index, suffix):
    name = f"{stem}{suffix}" if index == 0 else f"{stem}_{index}{suffix}"
    return folder / name


def load_run_state(input_dir, models, optimizers, schedulers, process_index):
    """
    Loads states of the models, optimizers and schedulers from `input_dir`.

    Args:
        input_dir (`str` or `Path`): The folder written by `save_run_state`.
        models (`list[torch.nn.Module]`): The prepared models, already on their device.
        optimizers (`list[torch.optim.Optimizer]`): The prepared optimizers.
        schedulers (`list`): Learning rate schedulers.
        process_index (`int`): The rank of this process.
    """
    input_dir = Path(input_dir)
    for i, model in enumerate(models):
        weights_file = _numbered(input_dir, MODEL_NAME, i, ".bin")
        model.load_state_dict(torch.load(weights_file))  # error: [DL402]
    logger.info("All model weights loaded successfully")

    for i, opt in enumerate(optimizers):
        optimizer_file = _numbered(input_dir, OPTIMIZER_NAME, i, ".bin")
        optimizer_state = torch.load(optimizer_file)  # error: [DL402]
        opt.load_state_dict(optimizer_state)
    logger.info("All optimizer states loaded successfully")

    rng_file = input_dir / f"{RNG_STATE_NAME}_{process_index}.npz"
    if rng_file.exists():
        with np.load(rng_file) as states:
            np.random.seed(int(states["numpy_seed"]))
            random.seed(int(states["python_seed"]))
    return [scheduler.state_dict() for scheduler in schedulers]
