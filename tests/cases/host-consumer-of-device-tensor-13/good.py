from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List

import numpy as np
import torch
from torch import Tensor


@dataclass
class Cameras:
    """Pinhole cameras that share an image size."""

    camera_to_worlds: Tensor
    fx: Tensor
    fy: Tensor
    cx: Tensor
    cy: Tensor

    @property
    def device(self) -> torch.device:
        return self.camera_to_worlds.device

    def __len__(self) -> int:
        return self.camera_to_worlds.shape[0]

    def to(self, device: torch.device) -> Cameras:
        return Cameras(
            camera_to_worlds=self.camera_to_worlds.to(device),
            fx=self.fx.to(device),
            fy=self.fy.to(device),
            cx=self.cx.to(device),
            cy=self.cy.to(device),
        )


class Viewer:
    """Shows the training cameras of a scene."""

    def __init__(self, cameras: Cameras, device: torch.device) -> None:
        self.device = device
        self.cameras = cameras.to(self.device)

    def camera_frustums(self) -> List[Dict[str, object]]:
        """Field of view and pose of each camera, for the client."""
        cameras = self.cameras
        fov = 2 * np.arctan((cameras.cx / cameras.fx).cpu())
        poses = cameras.camera_to_worlds.cpu().numpy()
        return [
            {"fov": float(angle), "matrix": pose.ravel().tolist()} for angle, pose in zip(fov, poses)
        ]
