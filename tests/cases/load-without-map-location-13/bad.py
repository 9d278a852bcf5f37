"""Normalisation of acoustic features with global or speaker statistics."""

import torch


class FeatureNormalization(torch.nn.Module):
    """Performs mean and variance normalization of the input tensor.

    Arguments
    ---------
    mean_norm : bool
        If True, the mean will be normalized.
    std_norm : bool
        If True, the standard deviation will be normalized.
    """

    def __init__(self, mean_norm=True, std_norm=True, eps=1e-10):
        super().__init__()
        self.mean_norm = mean_norm
        self.std_norm = std_norm
        self.eps = eps
        self.spk_dict_mean = {}
        self.spk_dict_std = {}
        self.count = 0

    def forward(self, x, spk_ids):
        """Returns the tensor with the surrounding statistics removed."""
        out = []
        for snt_id, spk_id in enumerate(spk_ids):
            feats = x[snt_id]
            mean = self.spk_dict_mean[spk_id].to(x.device, non_blocking=True)
            std = self.spk_dict_std[spk_id].to(x.device, non_blocking=True)
            if self.mean_norm:
                feats = feats - mean
            if self.std_norm:
                feats = feats / std.clamp(min=self.eps)
            out.append(feats)
        return torch.stack(out)

    def _save(self, path):
        stats = {
            "count": self.count,
            "spk_dict_mean": self.spk_dict_mean,
            "spk_dict_std": self.spk_dict_std,
        }
        torch.save(stats, path)

    def _load(self, path, end_of_epoch=False):
        """Loads the statistics from a checkpoint at `path`."""
        del end_of_epoch  # Unused here.
        stats = torch.load(path)  # error: [DL402]
        self.count = stats["count"]
        self.spk_dict_mean = dict(stats["spk_dict_mean"])
        self.spk_dict_std = dict(stats["spk_dict_std"])
