#!/usr/bin/env python
# coding=utf-8
"""Validation for fine-tuning a text-to-image model."""

import logging

import numpy as np
import torch
from accelerate import Accelerator
from diffusers import AutoPipelineForText2Image
from diffusers.utils import is_wandb_available


if is_wandb_available():
    import wandb

logger = logging.getLogger(__name__)


def log_validation(unet, vae, args, accelerator: Accelerator, weight_dtype, epoch, is_final=False):
    logger.info(f"Running validation... \n Generating {args.num_validation_images} images.")
    pipeline = AutoPipelineForText2Image.from_pretrained(
        args.pretrained_model_name_or_path,
        unet=accelerator.unwrap_model(unet),
        vae=vae,
        torch_dtype=weight_dtype,
    )
    pipeline = pipeline.to(accelerator.device)
    pipeline.set_progress_bar_config(disable=True)

    generator = None
    if args.seed is not None:
        generator = torch.Generator(device=accelerator.device).manual_seed(args.seed)

    images = []
    for prompt in args.validation_prompts:
        with torch.autocast(accelerator.device.type):
            image = pipeline(prompt, num_inference_steps=25, generator=generator).images[0]
        images.append(image)

    phase_name = "test" if is_final else "validation"
    for tracker in accelerator.trackers:
        if tracker.name == "tensorboard":
            np_images = np.stack([np.asarray(img) for img in images])
            tracker.writer.add_images(phase_name, np_images, epoch, dataformats="NHWC")
        if tracker.name == "wandb":
            tracker.log({phase_name: [wandb.Image(image, caption=str(i)) for i, image in enumerate(images)]})

    del pipeline
    return images
