"""What packages around torch promise about devices, by the canonical names of what they export."""

from __future__ import annotations

import re

OTHER_DEFAULTS = frozenset(
    {"accelerate.init_empty_weights", "accelerate.init_on_device", "accelerate.big_modeling.init_on_device",
     "accelerate.utils.init_empty_weights", "deepspeed.zero.Init", "torch._subclasses.FakeTensorMode",
     "torch._subclasses.fake_tensor.FakeTensorMode", "transformers.integrations.init_empty_weights"}
)  # fmt: skip
"""Contexts in which what is made without a device is made elsewhere than usual, most often nowhere."""

PLACERS = {
    "accelerate.Accelerator": "accelerator",
    "accelerate.accelerator.Accelerator": "accelerator",
    "lightning.Fabric": "fabric",
    "lightning.fabric.Fabric": "fabric",
    "lightning_fabric.Fabric": "fabric",
}
"""Classes whose one object in a process puts models and batches on its device, and what it is called."""
PLACES = frozenset(
    {"prepare", "prepare_model", "prepare_data_loader", "setup", "setup_module", "setup_dataloaders",
     "to_device"}
)  # fmt: skip
"""Methods of such objects that give what they are given on their device: modules, loaders, tensors."""
PASSES_ON = frozenset(
    {"unwrap_model", "gather", "gather_for_metrics", "reduce", "pad_across_processes", "all_gather",
     "all_reduce", "broadcast", "prepare_optimizer", "prepare_scheduler", "setup_optimizers"}
)  # fmt: skip
"""Methods that give it where it was."""
PLACED_OTHERWISE = frozenset(
    {"cpu", "device_placement", "accelerator", "devices", "strategy", "dataloader_config"}
)
"""Arguments of their constructors that decide about devices, where what is prepared may stay as it was."""

PREPROCESSOR = re.compile(
    r"transformers\.(\w+\.)*\w*(Tokenizer|TokenizerFast|Processor|FeatureExtractor)\.from_pretrained$"
)
"""What makes something that makes host tensors of texts, images and sounds."""
PRETRAINED = re.compile(r"transformers\.(AutoModel\w*|\w+(Model|For[A-Z]\w+))\.from_pretrained$")
"""What makes a model, on the host unless it is told otherwise."""
PLACES_MODEL = frozenset(
    {"device_map", "quantization_config", "load_in_8bit", "load_in_4bit", "max_memory", "tp_plan"}
)
"""Arguments that put it elsewhere."""

GRAPH_LOADERS = re.compile(r"torch_geometric\.(loader|data)\.(\w+\.)*\w*Loader$")
"""Loaders of graphs, which are collated on the host, and move in place."""
