"""The methods by which tensors and modules change their device."""

from __future__ import annotations

UPLOADERS = frozenset({"to", "cuda", "xpu"})
"""To an accelerator, or wherever an argument says; whichever class has such a method, means that by it."""
MOVERS_BY_DEVICE = UPLOADERS | {"cpu", "type_as"}
"""To a device, or to that of another tensor."""
MOVERS = MOVERS_BY_DEVICE | {"type"}
"""All that give their receiver on another device: the name of a legacy type has one in it."""
