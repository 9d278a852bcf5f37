"""Functions that older programs use, and that SciPy, scikit-image and other packages have removed."""

from __future__ import annotations

import sys
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

MODULES = {
    "scipy.misc": "scipy.special",
    "scipy.sparse.linalg.eigen": "scipy.sparse.linalg",
    "scipy.sparse.linalg.eigen.arpack": "scipy.sparse.linalg",
    "skimage.measure.simple_metrics": "skimage.metrics",
    "sklearn.externals.joblib": "joblib",
    "torchvision.models.utils": "torch.hub",
    "transformers.modeling_bert": "transformers.models.bert.modeling_bert",
}
"""Modules that are gone, each with the one that has their functions now."""
FUNCTIONS = {"compare_psnr": "peak_signal_noise_ratio"}
"""Functions that have another name there."""


def install() -> None:
    """Give it back, where the packages are installed."""
    if find_spec("yaml"):
        yaml = import_module("yaml")
        for reading in (yaml.load, yaml.load_all):
            reading.__defaults__ = (yaml.FullLoader,)
    if find_spec("PIL"):
        pillow = import_module("PIL.Image")
        pillow.ANTIALIAS = pillow.LANCZOS  # type: ignore[attr-defined]
        pillow.PILLOW_VERSION = import_module("PIL").PILLOW_VERSION = pillow.__version__  # type: ignore[attr-defined]
    if find_spec("cv2"):
        pictures = import_module("cv2")
        pictures.imshow = pictures.waitKey = _nothing  # type: ignore[attr-defined]
    if find_spec("networkx"):
        graphs = import_module("networkx")
        graphs.from_numpy_matrix = graphs.from_numpy_array  # type: ignore[attr-defined]
        graphs.to_numpy_matrix = graphs.to_numpy_array  # type: ignore[attr-defined]
    if find_spec("skimage"):
        measures = import_module("skimage.measure")
        measures.compare_ssim = import_module("skimage.metrics").structural_similarity  # type: ignore[attr-defined]
    for name, successor in MODULES.items():
        if find_spec(name.partition(".")[0]):
            module = ModuleType(name)
            module.__getattr__ = partial(_successor, successor)  # type: ignore[method-assign]
            sys.modules[name] = module


def _nothing(*_: Any) -> None:
    """Show no window."""


def _successor(module: str, name: str) -> Any:
    """The replacement of a function, imported on first use."""
    return getattr(import_module(module), FUNCTIONS.get(name, name))
