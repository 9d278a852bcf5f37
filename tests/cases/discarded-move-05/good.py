from abc import ABC, abstractmethod

import torch
from deepspeed.accelerator import get_accelerator


class TransformerContainer(ABC):
    """Holds the weights of one transformer block in a framework-neutral layout."""

    def __init__(self, policy, config, model_config, layer_id):
        self.policy = policy
        self.config = config
        self.model_config = model_config
        self.layer_id = layer_id
        self.module = None
        self._h4h_w = None
        self._4hh_w = None

    @abstractmethod
    def get_lora_matched_pair(self):
        """Returns the pairs of LoRA weights that belong to this block."""

    def set_mlp(self, _h4h_w, _4hh_w):
        self._h4h_w = _h4h_w
        self._4hh_w = _4hh_w

    def transpose(self):
        self._h4h_w.data = self.transpose_impl(self._h4h_w.data)
        self._4hh_w.data = self.transpose_impl(self._4hh_w.data)

    def transpose_impl(self, data):
        rows, columns = data.shape[-2], data.shape[-1]
        transposed = torch.empty_like(data.view(-1))
        transposed.copy_(data.transpose(-1, -2).reshape(-1))
        data = transposed.reshape(columns, rows)
        return data.to(get_accelerator().current_device_name())

    def copy_data_to_new_module(self):
        assert self.module is not None, "no module was created for this layer"
        for name, weight in (("inter_w", self._h4h_w), ("output_w", self._4hh_w)):
            target = getattr(self.module.mlp, name)
            target.data.copy_(weight.data)
        return self.module
