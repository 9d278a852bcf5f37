"""Shapes of what the layers of a model return."""

from collections import OrderedDict

import torch


def summarize(model, input_size, batch_size=2):
    """
    Runs a model once on noise, and returns the shape of each layer's output by its name.

    :param model: the model, a module
    :param input_size: shape of one example
    :param batch_size: number of examples
    """
    shapes = OrderedDict()
    hooks = []
    for name, module in model.named_modules():
        if name and not list(module.children()):
            hooks.append(module.register_forward_hook(lambda m, i, o, name=name: shapes.update({name: o.shape})))

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.rand(batch_size, *input_size, device=device)
    with torch.no_grad():
        model(x)
    for hook in hooks:
        hook.remove()
    return shapes
