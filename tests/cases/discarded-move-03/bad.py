import cv2
import numpy as np
import torch
from detectron2.checkpoint import DetectionCheckpointer
from detectron2.config import CfgNode
from detectron2.modeling import build_model


class ThumbnailPredictor:
    """
    Run a detection model on single images that are shrunk before.

    Args:
        cfg: the configuration of the model, its weights and its device.
        longest_side (int): images are scaled down to this number of pixels.
    """

    def __init__(self, cfg: CfgNode, longest_side: int = 512):
        self.cfg = cfg.clone()
        self.device = torch.device(cfg.MODEL.DEVICE)
        self.longest_side = longest_side
        self.swap_channels = cfg.INPUT.FORMAT == "RGB"

        self.model = build_model(self.cfg).to(self.device).eval()
        DetectionCheckpointer(self.model).load(cfg.MODEL.WEIGHTS)

    def shrink(self, image: np.ndarray) -> np.ndarray:
        scale = self.longest_side / max(image.shape[:2])
        if scale >= 1:
            return image
        return cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)

    def __call__(self, bgr: np.ndarray) -> dict:
        """
        Args:
            bgr (np.ndarray): an image of shape (H, W, 3), as OpenCV reads it.

        Returns:
            dict: the output of the model, in coordinates of the given image.
        """
        pixels = self.shrink(bgr)
        if self.swap_channels:
            pixels = pixels[:, :, ::-1]
        image = torch.as_tensor(np.ascontiguousarray(pixels, dtype=np.float32)).permute(2, 0, 1)
        image.to(self.device)  # error: [DL105]

        with torch.inference_mode():
            outputs = self.model([{"image": image, "height": bgr.shape[0], "width": bgr.shape[1]}])
        return outputs[0]
