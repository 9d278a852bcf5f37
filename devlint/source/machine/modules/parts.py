"""Submodules of a module of a library whose source is not read: each is created when the program uses it."""

from __future__ import annotations

from devlint.model import Confidence
from devlint.operators import find
from devlint.source.machine.domain.lattice import join_all, least_sure
from devlint.source.machine.domain.values import TRUE, Method, Tensor, Union, Value, changed
from devlint.source.machine.heap.machine import Machine
from devlint.source.machine.heap.objects import ELEMENT, Instance
from devlint.source.machine.modules.layers import UNKNOWN_MODULE, WEIGHT_DIMENSIONS
from devlint.source.machine.modules.state import PARAMETERS, module_of, placement
from devlint.source.machine.operators.move_targets import MOVES

_LIBRARIES_OF_MODELS = ("torchvision.models.", "timm.", "segmentation_models_pytorch.", "clip.", "open_clip.")
"""The attributes of their models that are called are submodules, or methods that compute with these."""
_OF_MODULES = frozenset(
    {"add_module", "append", "buffers", "children", "eval", "extend", "insert", "load_state_dict", "modules",
     "named_buffers", "named_children", "named_modules", "named_parameters", "parameters", "register_module",
     "state_dict", "train", "zero_grad"}
)  # fmt: skip
"""Methods that modules have, and tensors have not: an attribute may be a tensor, too."""
_TENSORS = frozenset(
    {"bias", "in_proj_bias", "in_proj_weight", "num_batches_tracked", "running_mean", "running_var", "weight"}
)
"""The parameters and buffers of layers of torch, which are no modules."""
_PART = "<part>"
"""Marks submodules among the arguments of an object."""


def is_opaque(module: Instance) -> bool:
    """Whether a module has parameters, but its submodules are not known."""
    return module.of == UNKNOWN_MODULE and isinstance(module.cells.get(PARAMETERS), Tensor)


def submodule(machine: Machine, module: Instance, key: object = ELEMENT) -> Value:
    """The submodule of an opaque module with a name or at a position; `ELEMENT` stands for any."""
    known = module.cells.get(key)
    if known is not None:
        return known
    state = module.cells[PARAMETERS]
    assert isinstance(state, Tensor)
    made = Instance(UNKNOWN_MODULE, module.made)
    made.cells[PARAMETERS] = state
    made.arguments[_PART] = TRUE
    reference = machine.adopt(made)
    machine.store.write(module, key, reference)
    return reference


def placement_of_called(module: Instance) -> Tensor | None:
    """The placement of a module that is called. That of a part is likely only: an activation has no
    parameters, and an attribute may be something else."""
    stands = placement(module)
    if stands is None or _PART not in module.arguments:
        return stands
    return changed(stands, confidence=least_sure(stands.confidence, Confidence.LIKELY))


def attribute_as_module(machine: Machine, held: Value) -> Value:
    """The submodule that an attribute of an opaque module is, if the program uses it as one; else the value
    itself."""
    if not isinstance(held, Method) or held.name in _TENSORS:
        return held
    module = module_of(attribute_as_module(machine, held.receiver))
    return held if module is None or not is_opaque(module) else submodule(machine, module, held.name)


def receiver_as_module(machine: Machine, receiver: Value, method: str) -> Value:
    """The receiver of a method: a submodule, if the method is one of modules; else the value itself."""
    return attribute_as_module(machine, receiver) if method in _OF_MODULES or method in MOVES else receiver


def assigned_part(machine: Machine, held: Value) -> Value:
    """The submodule that `self.name = model.name` assigns, if the models of the library have few attributes
    that are something else; else the value itself. The same for a model that depends on the path."""
    if isinstance(held, Union):
        parts = [assigned_part(machine, each) for each in held.alternatives]
        return held if parts == [*held.alternatives] else join_all(parts)
    module = module_of(held.receiver) if isinstance(held, Method) else None
    return attribute_as_module(machine, held) if module is not None and _is_of_parts(module) else held


def called_part(machine: Machine, module: Instance, name: str) -> Value | None:
    """The submodule that `module.name(...)` calls, if the models of the library have no other attributes that
    programs call with tensors."""
    is_part = _is_of_parts(module) and find(f"torch.Tensor.{name}") is None
    return submodule(machine, module, name) if is_part else None


def _is_of_parts(module: Instance) -> bool:
    state = module.cells.get(PARAMETERS)
    if not is_opaque(module) or not isinstance(state, Tensor):
        return False
    first = state.origin.first
    return first is not None and first.operator.startswith(_LIBRARIES_OF_MODELS)


def parameter(layer: Instance, name: str) -> Value:
    """The weight, the bias or a statistic of a layer of `torch.nn`, with as many dimensions as such a layer's
    have."""
    held = layer.cells[PARAMETERS]
    classes = (layer.of,) if isinstance(layer.of, str) else layer.of.externals
    known = next(filter(None, (WEIGHT_DIMENSIONS.get(each.removeprefix("torch.nn.")) for each in classes)), 0)
    if not known or not isinstance(held, Tensor):
        return held
    return changed(held, shape=(None,) * (known if "weight" in name else 1))
