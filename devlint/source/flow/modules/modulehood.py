"""Whether what is moved for its effect may be a module, or a batch of a framework: these move in place.

Nothing proves what it is. It counts as a module where the function, or another method of its class, uses it
as one, where it comes from what makes objects, and where its name says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from devlint.model import Kind
from devlint.source import ir
from devlint.source.flow.evidence.uses import is_use_of_other_object
from devlint.source.flow.state.frame import Frame
from devlint.source.walk import Node, bound_names, path, text, walk

_NAMED_FOR_MODULES = re.compile(
    r"^(?:batch|self|cls)$|(?:^|_)(?:model|module|net|network|layer|block|encoder|decoder|backbone|head|unet|vae|pipe|pipeline|"
    r"policy|actor|critic|agent|generator|discriminator|criterion|loss_fn|metric|engine|teacher|student|"
    r"submodule|adapter|transformer|clip)(?:_?\d+|s)?$"
)
"""Names of what moves in place. A name proves nothing; here it is enough for silence."""
_MAKERS = re.compile(
    r"(?:^|\.)_?(?:[A-Z]\w*[a-z]\w*|from_\w+|(?:build|create|get|load|make|init)_\w*(?:model|net|module)\w*)$"
)
"""What makes objects: classes, and functions named for it."""


def may_be_module(frame: Frame, moved: ir.Expression) -> bool:
    """Whether it may be something that `.to()` moves in place."""
    name = text(moved)
    if _NAMED_FOR_MODULES.search(_last_word(moved)) or not name:
        return True
    if any(_shows_module(node, name) for node in _around(frame, name)):
        return True
    return _is_stated(frame, name)


def _last_word(moved: ir.Expression) -> str:
    """`labels` of `batch["labels"]`, `weight` of `layer.weight`, `parts` of `parts[i]`."""
    match moved:
        case ir.Subscript(indices=(ir.Constant(value=str(key)),)):
            return key.lower()
        case ir.Subscript(value=value):
            return _last_word(value)
        case ir.Attribute(name=name) | ir.Name(name=name):
            return name.lower()
        case _:
            return ""


def _around(frame: Frame, name: str) -> Iterable[Node]:
    """Where it may be used: in the function and those around it; what `self` holds, in the whole class."""
    around: Frame | None = frame
    while around is not None:
        yield from around.evidence.nodes or walk(around.evidence.body, into_scopes=True)
        around = around.enclosing
    if name.startswith("self.") and frame.info is not None:
        for info in frame.info.lineage():
            yield from walk(info.methods.values(), into_scopes=True)


def _shows_module(node: Node, name: str) -> bool:
    if is_use_of_other_object(node, name):
        return True
    match node:
        case ir.Assign(targets=targets, value=ir.Call(function=function)):
            return bool(_MAKERS.search(path(function))) and any(text(each) == name for each in targets)
        case ir.For(target=target, iterable=iterable) | ir.Loop(target=target, iterable=iterable):
            return name in _names_in(target) and _gives_modules(iterable)
        case _:
            return False


def _names_in(target: ir.Expression) -> set[str]:
    return set(bound_names((target,)))


def _gives_modules(iterable: ir.Expression) -> bool:
    """`model.modules()`, `self.layers`."""
    return any(
        isinstance(node, ir.Attribute | ir.Name)
        and (
            node.name.endswith("modules")
            or node.name.endswith("children")
            or bool(_NAMED_FOR_MODULES.search(node.name.lower()))
        )
        for node in walk([iterable])
    )


def _is_stated(frame: Frame, name: str) -> bool:
    """Whether an annotation gives a parameter another class than the tensor's."""
    return frame.evidence.kinds.get(name, Kind.TENSOR) is not Kind.TENSOR
