"""Layers of `torch.nn`, as far as it matters what they hold and return."""

from __future__ import annotations

STATELESS = frozenset(
    {"Identity", "Flatten", "Unflatten", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout",
     "Softmax", "LogSoftmax", "Softmax2d", "Softmin", "Sigmoid", "Tanh", "ReLU", "ReLU6", "GELU", "SiLU",
     "Mish", "ELU", "SELU", "CELU", "GLU", "LeakyReLU", "Hardtanh", "Hardswish", "Hardsigmoid", "Softplus",
     "Softshrink", "Softsign", "LogSigmoid", "Tanhshrink", "Threshold", "MaxPool1d", "MaxPool2d",
     "MaxPool3d", "AvgPool1d", "AvgPool2d", "AvgPool3d", "AdaptiveAvgPool1d", "AdaptiveAvgPool2d",
     "AdaptiveAvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "Upsample", "UpsamplingNearest2d",
     "UpsamplingBilinear2d", "PixelShuffle", "Fold", "Unfold", "ZeroPad2d", "ConstantPad1d",
     "ConstantPad2d", "ReflectionPad1d", "ReflectionPad2d", "ReplicationPad1d", "ReplicationPad2d",
     "CosineSimilarity", "PairwiseDistance", "MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss", "KLDivLoss",
     "BCELoss", "BCEWithLogitsLoss", "CrossEntropyLoss", "NLLLoss", "CosineEmbeddingLoss",
     "TripletMarginLoss", "MarginRankingLoss", "HingeEmbeddingLoss", "CTCLoss", "PoissonNLLLoss",
     "GaussianNLLLoss", "Module", "Sequential", "ModuleList", "ModuleDict", "ChannelShuffle",
     "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "DataParallel", "LPPool2d", "SoftMarginLoss",
     "MultiMarginLoss", "MultiLabelMarginLoss", "MultiLabelSoftMarginLoss", "TripletMarginWithDistanceLoss"}
)  # fmt: skip
"""Layers of `torch.nn` without parameters or buffers of their own, as they are usually made."""


TUPLE_LAYERS = frozenset(
    {"torch.nn.LSTM", "torch.nn.GRU", "torch.nn.RNN", "torch.nn.MultiheadAttention", "torch.nn.LSTMCell"}
)


LOSSES = {
    "torch.nn.MSELoss": "torch.nn.functional.mse_loss",
    "torch.nn.L1Loss": "torch.nn.functional.l1_loss",
    "torch.nn.SmoothL1Loss": "torch.nn.functional.smooth_l1_loss",
    "torch.nn.HuberLoss": "torch.nn.functional.huber_loss",
    "torch.nn.CrossEntropyLoss": "torch.nn.functional.cross_entropy",
    "torch.nn.NLLLoss": "torch.nn.functional.nll_loss",
    "torch.nn.BCELoss": "torch.nn.functional.binary_cross_entropy",
    "torch.nn.BCEWithLogitsLoss": "torch.nn.functional.binary_cross_entropy_with_logits",
    "torch.nn.KLDivLoss": "torch.nn.functional.kl_div",
}
"""The function that a loss without parameters stands for."""


CONTAINERS_OF_MODULES = frozenset({"torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict"})


HOLDERS_OF_PARAMETERS = frozenset({"torch.nn.ParameterList", "torch.nn.ParameterDict"})


MODULE_BASES = frozenset(
    {"torch.nn.Module", "torch.jit.ScriptModule", "lightning.pytorch.LightningModule",
     "lightning.LightningModule", "torchmetrics.Metric", "torchmetrics.metric.Metric",
     "transformers.PreTrainedModel", "diffusers.ModelMixin", "diffusers.models.ModelMixin"}
)  # fmt: skip
"""Classes outside the file whose subclasses are modules, besides all of `torch.nn`."""


def is_module_class(name: str) -> bool:
    """Whether a class outside the file, by canonical name, is an `nn.Module`."""
    if name in MODULE_BASES:
        return True
    head, _, last = name.rpartition(".")
    return (
        head == "torch.nn"
        and last[:1].isupper()
        and last not in {"Parameter", "Buffer", "UninitializedParameter", "UninitializedBuffer"}
    )
