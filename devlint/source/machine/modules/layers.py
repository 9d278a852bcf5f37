"""Layers of `torch.nn`, as far as their contents and results matter."""

from __future__ import annotations

STATEFUL = frozenset(
    {"AdaptiveLogSoftmaxWithLoss", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "Bilinear", "Conv1d",
     "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "Embedding",
     "EmbeddingBag", "GRU", "GRUCell", "GroupNorm", "LSTM", "LSTMCell", "LayerNorm", "LazyBatchNorm1d",
     "LazyBatchNorm2d", "LazyBatchNorm3d", "LazyConv1d", "LazyConv2d", "LazyConv3d", "LazyConvTranspose1d",
     "LazyConvTranspose2d", "LazyConvTranspose3d", "LazyInstanceNorm1d", "LazyInstanceNorm2d",
     "LazyInstanceNorm3d", "LazyLinear", "Linear", "LinearCrossEntropyLoss", "MultiheadAttention", "PReLU",
     "RMSNorm", "RNN", "RNNBase", "RNNCell", "RNNCellBase", "SyncBatchNorm", "Transformer",
     "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder", "TransformerEncoderLayer"}
)  # fmt: skip
"""Layers of `torch.nn` that usually have parameters or buffers; the others have none of their own."""


WEIGHT_DIMENSIONS = {
    **dict.fromkeys(("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "GroupNorm", "PReLU", "SyncBatchNorm"), 1),
    **dict.fromkeys(("Embedding", "EmbeddingBag", "GRU", "GRUCell", "LSTM", "LSTMCell", "Linear", "RNN"), 2),
    **dict.fromkeys(("MultiheadAttention", "RNNCell"), 2),
    **dict.fromkeys(("Bilinear", "Conv1d", "ConvTranspose1d"), 3),
    **dict.fromkeys(("Conv2d", "ConvTranspose2d"), 4),
    **dict.fromkeys(("Conv3d", "ConvTranspose3d"), 5),
}
"""How many dimensions the weights of layers of `torch.nn` have; their biases and statistics have one."""


SWITCHES = frozenset({"affine", "elementwise_affine", "track_running_stats"})
"""Arguments that decide whether a layer has parameters or buffers."""


NORMS_WITHOUT_STATISTICS = frozenset({"GroupNorm", "LayerNorm", "RMSNorm"})
"""Layers whose only state is what these arguments request."""


FUNCTIONS = {
    "torch.nn.CosineSimilarity": "torch.nn.functional.cosine_similarity",
    "torch.nn.PairwiseDistance": "torch.nn.functional.pairwise_distance",
    "torch.nn.MSELoss": "torch.nn.functional.mse_loss",
    "torch.nn.L1Loss": "torch.nn.functional.l1_loss",
    "torch.nn.SmoothL1Loss": "torch.nn.functional.smooth_l1_loss",
    "torch.nn.HuberLoss": "torch.nn.functional.huber_loss",
    "torch.nn.CrossEntropyLoss": "torch.nn.functional.cross_entropy",
    "torch.nn.NLLLoss": "torch.nn.functional.nll_loss",
    "torch.nn.BCELoss": "torch.nn.functional.binary_cross_entropy",
    "torch.nn.BCEWithLogitsLoss": "torch.nn.functional.binary_cross_entropy_with_logits",
    "torch.nn.KLDivLoss": "torch.nn.functional.kl_div",
    "torch.nn.CTCLoss": "torch.nn.functional.ctc_loss",
    "torch.nn.CosineEmbeddingLoss": "torch.nn.functional.cosine_embedding_loss",
    "torch.nn.GaussianNLLLoss": "torch.nn.functional.gaussian_nll_loss",
    "torch.nn.HingeEmbeddingLoss": "torch.nn.functional.hinge_embedding_loss",
    "torch.nn.MarginRankingLoss": "torch.nn.functional.margin_ranking_loss",
    "torch.nn.MultiLabelMarginLoss": "torch.nn.functional.multilabel_margin_loss",
    "torch.nn.MultiLabelSoftMarginLoss": "torch.nn.functional.multilabel_soft_margin_loss",
    "torch.nn.MultiMarginLoss": "torch.nn.functional.multi_margin_loss",
    "torch.nn.PoissonNLLLoss": "torch.nn.functional.poisson_nll_loss",
    "torch.nn.SoftMarginLoss": "torch.nn.functional.soft_margin_loss",
    "torch.nn.TripletMarginLoss": "torch.nn.functional.triplet_margin_loss",
}
"""The functions of losses and other layers with several inputs and without parameters."""


LOSS_WEIGHTS = {
    "torch.nn.BCELoss": {"weight": 0},
    "torch.nn.BCEWithLogitsLoss": {"weight": 0, "pos_weight": 4},
    "torch.nn.CrossEntropyLoss": {"weight": 0},
    "torch.nn.MultiLabelSoftMarginLoss": {"weight": 0},
    "torch.nn.MultiMarginLoss": {"weight": 2},
    "torch.nn.NLLLoss": {"weight": 0},
}
"""The buffers of losses: the arguments of the constructor that set them, with positions (signatures of
`torch/nn/modules/loss.py`). The function of the loss has arguments of the same names."""


IN_PLACE_AT = {
    **dict.fromkeys(("Hardsigmoid", "Hardswish", "Mish", "ReLU", "ReLU6", "SELU", "SiLU"), 0),
    **dict.fromkeys(("AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d"), 1),
    **dict.fromkeys(("CELU", "ELU", "FeatureAlphaDropout", "LeakyReLU"), 1),
    **dict.fromkeys(("Hardtanh", "RReLU", "Threshold"), 2),
}
"""The position of `inplace` among the arguments of the constructors of layers (signatures of
`torch/nn/modules/activation.py` and `dropout.py`)."""


CONTAINERS_OF_MODULES = frozenset({"torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict"})


HOLDERS_OF_PARAMETERS = frozenset({"torch.nn.ParameterList", "torch.nn.ParameterDict"})
UNKNOWN_MODULE = "torch.nn.Module"
"""The class of an unknown module."""
