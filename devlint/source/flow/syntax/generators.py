"""What is drawn from generators and other iterables of the file, and what they do around a `with` block."""

from __future__ import annotations

from devlint.model import CPU, HotPath, SiteId
from devlint.source import ir
from devlint.source.flow.calls import methods
from devlint.source.flow.state.frame import Frame
from devlint.source.flow.state.lattice import join_all
from devlint.source.flow.state.values import TOP, Container, DeviceValue, Instance, Loader, Managed, Value
from devlint.source.flow.syntax.decorators import is_context_manager


def made_by(frame: Frame, node: ir.Function) -> Value:
    """What a call of a generator gives, now that its body has been interpreted."""
    element = join_all([each.value for each in frame.yields])
    if is_context_manager(node):
        lent = next((each.default for each in frame.yields if each.default.device != CPU), None)
        return Managed(element, lent)
    # To draw from what draws from a data loader is to draw from the loader.
    draws = any(each.hot is HotPath.LOADER_LOOP for each in frame.yields)
    return Loader(element) if draws else Container(element, mutable=False)


def iterable(frame: Frame, site: SiteId, value: Value) -> Value:
    """What a loop over an object of the file draws from: what its `__iter__` gives."""
    info = value.info if isinstance(value, Instance) else None
    found = info.method("__iter__") if info is not None else None
    if info is None or found is None:
        return value
    given = methods.call_method(frame, site, *found, (), value)
    following = info.method("__next__") if given == value else None
    return Container(methods.call_method(frame, site, *following, (), value)) if following else given


def enter(frame: Frame, site: SiteId, value: Value) -> Value:
    """What `with value as target` binds; takes over the default device for the block."""
    match value:
        case DeviceValue():
            if value.is_object is not False:
                frame.default_device = value
            return value
        case Managed(target=target, default=default):
            if default is not None:
                frame.default_device = default
            return target
        case Instance(info=info):
            found = info.method("__enter__")
            return methods.call_method(frame, site, *found, (), value) if found is not None else TOP
        case _:
            return TOP
