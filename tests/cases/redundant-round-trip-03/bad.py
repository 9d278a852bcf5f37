import torch
import torch.nn as nn
from torch.optim import Optimizer


class InputWhitening(Optimizer):
    """
    SGD for linear layers whose gradients are divided by the covariance of
    the layer's input, in the basis in which that covariance is diagonal.
    """

    def __init__(self, model, lr=0.1, decay=0.95, damping=1e-2, refresh_every=20):
        super().__init__(model.parameters(), dict(lr=lr))
        self.decay = decay
        self.damping = damping
        self.refresh_every = refresh_every
        self.updates = 0
        self.layers = [m for m in model.modules() if isinstance(m, nn.Linear)]
        self.covariance = {}
        self.scale = {}
        self.basis = {}
        for layer in self.layers:
            layer.register_forward_pre_hook(self._observe)

    def _observe(self, layer, inputs):
        if not torch.is_grad_enabled():
            return
        x = inputs[0].detach().flatten(0, -2)
        covariance = x.t() @ x / x.size(0)
        if layer in self.covariance:
            self.covariance[layer].lerp_(covariance, 1 - self.decay)
        else:
            self.covariance[layer] = covariance

    def _refresh(self, layer):
        covariance = self.covariance[layer]
        damping = self.damping * torch.eye(covariance.size(0), device=covariance.device)
        covariance = covariance + damping
        values, vectors = torch.linalg.eigh(covariance.cpu())  # also: [DL205|DL303]
        self.scale[layer] = values.to(covariance.device)  # error: [DL303]
        self.basis[layer] = vectors.to(covariance.device)  # error: [DL303]

    @torch.no_grad()
    def step(self, closure=None):
        lr = self.param_groups[0]["lr"]
        for layer in self.layers:
            if self.updates % self.refresh_every == 0:
                self._refresh(layer)
            basis = self.basis[layer]
            direction = (layer.weight.grad @ basis) / self.scale[layer] @ basis.t()
            layer.weight.add_(direction, alpha=-lr)
            if layer.bias is not None:
                layer.bias.add_(layer.bias.grad, alpha=-lr)
        self.updates += 1
