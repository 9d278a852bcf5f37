from typing import Any, Optional, Union

import torch
from torch.nn import Module
from typing_extensions import Self


class DeviceTrackingMixin(Module):
    """Keeps track of the device that a module was moved to."""

    def __init__(self) -> None:
        super().__init__()
        self._device = torch.device("cpu")

    @property
    def device(self) -> torch.device:
        return self._device

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Moves the parameters and buffers; see :meth:`torch.nn.Module.to`."""
        device, _ = torch._C._nn._parse_to(*args, **kwargs)[:2]
        self._update_device(device)
        return super().to(*args, **kwargs)

    def cuda(self, device: Optional[Union[torch.device, int]] = None) -> Self:
        """Moves the parameters and buffers to a GPU.

        Arguments:
            device: The GPU or its index; `None` stands for the current one.
        """
        if device is None or isinstance(device, int):
            device = torch.device("cuda", index=(device or 0))  # error: [DL113]
        self._update_device(device)
        return super().cuda(device=device)

    def cpu(self) -> Self:
        self._update_device(torch.device("cpu"))
        return super().cpu()

    def _update_device(self, device: Optional[torch.device]) -> None:
        if device is None:
            return
        for module in self.modules():
            if isinstance(module, DeviceTrackingMixin):
                module._device = device
