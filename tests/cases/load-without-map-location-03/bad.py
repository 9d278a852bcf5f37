"""PyTorch Hub models

Usage:
    import torch
    model = torch.hub.load('repo', 'custom', path='best.pt')
"""
from pathlib import Path

import torch

from models.yolo import Model
from utils.general import check_requirements, set_logging
from utils.google_utils import attempt_download
from utils.torch_utils import select_device

dependencies = ['torch', 'yaml']
check_requirements(Path(__file__).parent / 'requirements.txt', exclude=('pycocotools', 'thop'))
set_logging()


def create(name, pretrained, channels, classes, autoshape):
    """Creates a specified model

    Arguments:
        name (str): name of model, i.e. 'yolov7'
        pretrained (bool): load pretrained weights into the model
        channels (int): number of input channels
        classes (int): number of model classes

    Returns:
        pytorch model
    """
    config = list((Path(__file__).parent / 'cfg').rglob(f'{name}.yaml'))[0]
    model = Model(config, channels, classes)
    if pretrained:
        fname = f'{name}.pt'
        attempt_download(fname)
        ckpt = torch.load(fname)  # error: [DL402]
        msd = model.state_dict()
        csd = ckpt['model'].float().state_dict()
        csd = {k: v for k, v in csd.items() if k in msd and msd[k].shape == v.shape}
        model.load_state_dict(csd, strict=False)
        if len(ckpt['model'].names) == classes:
            model.names = ckpt['model'].names
    if autoshape:
        model = model.autoshape()
    device = select_device('0' if torch.cuda.is_available() else 'cpu')
    return model.to(device)


def custom(path='path/to/model.pt', autoshape=True):
    """Model from a checkpoint or its path."""
    model = torch.load(path) if isinstance(path, str) else path  # error: [DL402]
    if isinstance(model, dict):
        model = model['ema' if model.get('ema') else 'model']
    hub_model = Model(model.yaml).to(next(model.parameters()).device)
    hub_model.load_state_dict(model.float().state_dict())
    hub_model.names = model.names
    return hub_model.autoshape() if autoshape else hub_model
