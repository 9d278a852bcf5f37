from typing import List, Optional, Union

import torch
from torch import nn


class ImageConditionedPipeline:
    """Encodes a prompt and a reference image into the conditioning of a denoiser."""

    def __init__(self, text_encoder: nn.Module, image_encoder: nn.Module, tokenizer, feature_extractor):
        self.text_encoder = text_encoder
        self.image_encoder = image_encoder
        self.tokenizer = tokenizer
        self.feature_extractor = feature_extractor

    @property
    def device(self) -> torch.device:
        return next(self.text_encoder.parameters()).device

    def encode_image(self, image) -> torch.Tensor:
        pixel_values = self.feature_extractor(image, return_tensors="pt").pixel_values
        parameter = next(self.image_encoder.parameters())
        pixel_values = pixel_values.to(device=parameter.device, dtype=parameter.dtype)
        return self.image_encoder(pixel_values).image_embeds.unsqueeze(1)

    def encode_prompt(
        self,
        prompt: Union[str, List[str]],
        image,
        device: Optional[torch.device] = None,
        num_images_per_prompt: int = 1,
    ) -> torch.Tensor:
        """Encodes the prompt and the image, one row for each image to make."""
        device = device or self.device
        prompt = [prompt] if isinstance(prompt, str) else prompt

        text_inputs = self.tokenizer(prompt, padding="max_length", truncation=True, return_tensors="pt")
        prompt_embeds = self.text_encoder(text_inputs.input_ids.to(device))[0]
        prompt_embeds = prompt_embeds.to(device)
        prompt_embeds = prompt_embeds.repeat_interleave(num_images_per_prompt, dim=0)

        image_embeds = self.encode_image(image).to(self.device)  # also: [DL111]
        image_embeds = image_embeds.repeat_interleave(prompt_embeds.shape[0], dim=0)
        return torch.cat([prompt_embeds, image_embeds], dim=1)  # error: [DL101|DL111]
