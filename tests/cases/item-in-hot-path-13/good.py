import torch
from transformers import Trainer


class OnlineTrainer(Trainer):
    """
    Trainer for policies that learn from their own completions.

    Args:
        generation_config: The configuration passed to `model.generate`.
        max_prompt_length: Prompts are truncated to this length from the left.
    """

    def __init__(self, *args, generation_config=None, max_prompt_length=512, **kwargs):
        super().__init__(*args, **kwargs)
        self.generation_config = generation_config
        self.max_prompt_length = max_prompt_length
        self.eos_token_id = self.processing_class.eos_token_id

    @torch.no_grad()
    def _generate_single_turn(self, prompts: list[str]):
        device = self.accelerator.device

        encoded = self.processing_class(
            text=prompts,
            return_tensors="pt",
            padding=True,
            padding_side="left",
            max_length=self.max_prompt_length,
            truncation=True,
        )
        prompt_ids = encoded["input_ids"].to(device)
        prompt_mask = encoded["attention_mask"].to(device)

        unwrapped_model = self.accelerator.unwrap_model(self.model)
        prompt_completion_ids = unwrapped_model.generate(
            input_ids=prompt_ids, attention_mask=prompt_mask, generation_config=self.generation_config
        )
        completion_ids = prompt_completion_ids[:, prompt_ids.size(1) :]

        # Mask everything after the first EOS token
        is_eos = completion_ids == self.eos_token_id
        first_eos = torch.where(is_eos.any(dim=1), is_eos.int().argmax(dim=1), is_eos.size(1))
        sequence_indices = torch.arange(is_eos.size(1), device=device).expand(is_eos.size(0), -1)
        completion_mask = sequence_indices <= first_eos.unsqueeze(1)

        prompt_ids, prompt_mask = prompt_ids.cpu(), prompt_mask.bool().cpu()
        completion_ids, completion_mask = completion_ids.cpu(), completion_mask.cpu()
        prompts = [p[m].tolist() for p, m in zip(prompt_ids, prompt_mask)]
        completions = [c[m].tolist() for c, m in zip(completion_ids, completion_mask)]
        return prompts, completions
