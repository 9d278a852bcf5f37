"""Inference-only multimodal model."""

from typing import Optional

import torch
from torch import nn


class MultimodalEmbedding(nn.Module):
    """Puts the embeddings of images at the places that the prompt keeps for them."""

    def __init__(self, vocab_size: int, hidden_size: int, image_token_id: int, vision_tower: nn.Module) -> None:
        super().__init__()
        self.image_token_id = image_token_id
        self.embed_tokens = nn.Embedding(vocab_size, hidden_size)
        self.vision_tower = vision_tower

    def forward(self, input_ids: torch.Tensor, pixel_values: Optional[torch.Tensor] = None) -> torch.Tensor:
        is_image = input_ids == self.image_token_id
        inputs_embeds = self.embed_tokens(input_ids.masked_fill(is_image, 0))
        if pixel_values is None:
            return inputs_embeds

        image_embeds = self.vision_tower(pixel_values).flatten(0, 1).to(inputs_embeds.dtype)
        image_positions = is_image.nonzero().squeeze(-1)  # error: [DL204]
        inputs_embeds = inputs_embeds.index_copy(0, image_positions, image_embeds)
        return inputs_embeds


class MultimodalForCausalLM(nn.Module):
    def __init__(self, config, vision_tower: nn.Module, language_model: nn.Module) -> None:
        super().__init__()
        self.config = config
        self.embedding = MultimodalEmbedding(
            config.vocab_size, config.hidden_size, config.image_token_id, vision_tower
        )
        self.model = language_model
        self.lm_head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)

    @torch.no_grad()
    def forward(
        self,
        input_ids: torch.Tensor,
        positions: torch.Tensor,
        pixel_values: Optional[torch.Tensor] = None,
    ) -> torch.Tensor:
        hidden_states = self.model(positions, self.embedding(input_ids, pixel_values))
        return self.lm_head(hidden_states)
