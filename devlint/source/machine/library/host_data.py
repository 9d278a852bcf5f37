"""What libraries outside of torch read, make and transform: arrays, and tensors on the host."""

from __future__ import annotations

import re

from devlint.source.machine.domain.lattice import join_all
from devlint.source.machine.domain.values import ARRAY, INT, TOP, TRUE, Array, Known, Tensor, Value
from devlint.source.machine.heap.frames import Call
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import Container
from devlint.source.machine.library import data
from devlint.source.machine.library.handlers import Handler, constant

_SAMPLES = re.compile(r"sklearn\.datasets\.(make|load|fetch)_\w+$")
_ESTIMATOR = re.compile(r"sklearn\.\w+\.(\w+\.)*[A-Z]\w*$")
_RESULTS = frozenset(
    {"fit_predict", "fit_transform", "inverse_transform", "predict", "predict_proba", "transform"}
)
"""Methods of scikit-learn's estimators that return arrays (its glossary, "Methods")."""
_ENCODER = "sentence_transformers.SentenceTransformer"


def loaded(machine: Machine, name: str, call: Call) -> Value | None:
    """The result of a function that loads or makes data; None if the function is another one."""
    handler = _LOADERS.get(name)
    if handler is not None:
        return handler(machine, call)
    return _samples(machine, name, call) if _SAMPLES.match(name) else None


def makes_data(name: str) -> bool:
    """Whether a function loads or makes data, or the objects of a class do."""
    return name in _LOADERS or any(each.match(name) for each in (_SAMPLES, _ESTIMATOR)) or name == _ENCODER


def transformed(machine: Machine, class_name: str, method: str, call: Call) -> Value | None:
    """The result of a method of an estimator or an encoder; None if the method is another one."""
    if class_name == _ENCODER and method == "encode":
        return TOP if call.value("convert_to_tensor") == TRUE else ARRAY  # tensors lie where the model does
    return ARRAY if method in _RESULTS and _ESTIMATOR.match(class_name) else None


def _samples(machine: Machine, name: str, call: Call) -> Value:
    """`sklearn.datasets.make_moons(100)` and `load_iris(return_X_y=True)`: samples and their labels."""
    if name.startswith("sklearn.datasets.make_") or call.value("return_X_y") == TRUE:
        return machine.adopt(Container("tuple", [ARRAY, ARRAY]))
    made = Container("dict", element=TOP)
    made.cells.update({"data": ARRAY, "target": ARRAY})
    return machine.adopt(made)


def _split(machine: Machine, call: Call) -> Value:
    """`train_test_split(x, y)`: two parts of each argument."""
    parts = [_part(machine, each.value, call) for each in call.passed if not each.keyword]
    return machine.adopt(Container("list", [part for part in parts for _ in range(2)]))


def _part(machine: Machine, held: Value, call: Call) -> Value:
    if isinstance(held, (Array, Tensor)):
        return held
    items = machine.elements(held, call.frame, call.node).items
    return TOP if TOP in items else machine.adopt(Container("list", element=join_all(items)))


def _sound(machine: Machine, call: Call) -> Value:
    """`torchaudio.load(path)`: the samples and their rate."""
    samples = data.host_tensor(call.site, "torchaudio.load", machine)
    return machine.adopt(Container("tuple", [samples, INT]))


def _two_arrays(machine: Machine, call: Call) -> Value:
    return machine.adopt(Container("tuple", [ARRAY, ARRAY]))


def _array_and_rate(machine: Machine, call: Call) -> Value:
    return machine.adopt(Container("tuple", [ARRAY, INT]))


def _image(name: str) -> Handler:
    def handler(machine: Machine, call: Call) -> Value:
        return data.host_tensor(call.site, name, machine)

    return handler


def _safetensors(machine: Machine, call: Call) -> Value:
    """`safetensors.torch.load_file(path, device="cpu")`: tensors by name."""
    if call.value("device", 1) not in (None, Known("cpu")):
        return TOP
    one = data.host_tensor(call.site, "safetensors.torch.load_file", machine)
    return machine.adopt(Container("dict", element=one))


_IMAGES = ("cv2.cvtColor", "cv2.imread", "cv2.resize", "imageio.imread", "imageio.v2.imread",
           "imageio.v3.imread", "skimage.io.imread", "skimage.transform.resize")  # fmt: skip
_TENSORS = ("torchvision.io.decode_image", "torchvision.io.read_image",
            "torchvision.transforms.functional.pil_to_tensor",
            "torchvision.transforms.functional.to_tensor")  # fmt: skip
_LOADERS: dict[str, Handler] = {
    **dict.fromkeys(_IMAGES, constant(ARRAY)),
    **{name: _image(name) for name in _TENSORS},
    "librosa.load": _array_and_rate,
    "safetensors.torch.load_file": _safetensors,
    "sklearn.model_selection.train_test_split": _split,
    "scipy.optimize.linear_sum_assignment": _two_arrays,
    "soundfile.read": _array_and_rate,
    "torchaudio.load": _sound,
}
"""The functions, by canonical name."""
