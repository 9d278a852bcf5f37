"""What a program does with the result of `torch.load`."""

from __future__ import annotations

import libcst as cst

from devlint.port.source import Source

_LOADS = "load_state_dict"


def is_for_parameters(source: Source, call: cst.Call) -> bool:
    """Whether the result is passed to `load_state_dict`, directly or by a name. Parameters are then copied to
    the device of the model, whatever their own device is."""
    if _is_loaded(source, call):
        return True
    parent = source.parent(call)
    if not isinstance(parent, cst.Assign):
        return False
    names = {each.target.value for each in parent.targets if isinstance(each.target, cst.Name)}
    frame = source.frame(call)
    return any(
        isinstance(node, cst.Name)
        and node.value in names
        and source.frame(node) is frame
        and _is_loaded(source, node)
        for node in source.nodes
    )


def _is_loaded(source: Source, value: cst.CSTNode) -> bool:
    """Whether a value, or an entry of it, is an argument of `load_state_dict`."""
    for parent, _ in source.around(value):
        if isinstance(parent, cst.Call):
            return isinstance(parent.func, cst.Attribute) and parent.func.attr.value == _LOADS
        if not isinstance(parent, (cst.Subscript, cst.Arg)):
            return False
    return False
