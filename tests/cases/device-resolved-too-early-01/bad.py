# Device and model utilities

import logging
import os
from copy import deepcopy

import torch
import torch.nn as nn

logger = logging.getLogger(__name__)


def restrict_gpus(choice=''):
    # choice: '' for what there is, 'cpu', or ordinals such as '0' or '0,2'
    if choice == 'cpu':
        os.environ['CUDA_VISIBLE_DEVICES'] = '-1'  # also: [DL404]
    elif choice:
        os.environ['CUDA_VISIBLE_DEVICES'] = choice  # also: [DL404]


def count_parameters(model):
    trainable = sum(p.numel() for p in model.parameters() if p.requires_grad)
    return trainable, sum(p.numel() for p in model.parameters())


def fold_batchnorm(model):
    # merge each Conv2d + BatchNorm2d pair of a sequential block
    for name, block in model.named_children():
        if isinstance(block, nn.Sequential) and len(block) >= 2 and isinstance(block[1], nn.BatchNorm2d):
            merged = nn.utils.fusion.fuse_conv_bn_eval(block[0].eval(), block[1].eval())
            setattr(model, name, nn.Sequential(merged, *list(block)[2:]))
        else:
            fold_batchnorm(block)
    return model


def profile_shape(model, size=640, device=torch.device('cuda:0' if torch.cuda.is_available() else 'cpu')):  # error: [DL403]
    # output shape of the folded model for one image
    model = fold_batchnorm(deepcopy(model).eval()).to(device)
    image = torch.zeros(1, 3, size, size, device=device)
    with torch.no_grad():
        shape = tuple(model(image).shape)
    trainable, total = count_parameters(model)
    logger.info(f'{total} parameters, {trainable} trainable, output {shape} for {size} pixels')
    return shape
