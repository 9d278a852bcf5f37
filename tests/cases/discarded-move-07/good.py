import math

import torch


def get_timestep_embedding(x, outdim):
    assert len(x.shape) == 2
    b, dims = x.shape[0], x.shape[1]
    x = torch.flatten(x)
    half = outdim // 2
    freqs = torch.exp(-math.log(10000) * torch.arange(half, dtype=torch.float32, device=x.device) / half)
    args = x[:, None].float() * freqs[None]
    emb = torch.cat([torch.cos(args), torch.sin(args)], dim=-1)
    return torch.reshape(emb, (b, dims * outdim))


def get_size_embeddings(sizes):
    return get_timestep_embedding(torch.tensor(sizes), 256)


class LatentPipeline:
    def __init__(self, device, text_encoder, unet, scheduler):
        self.device = device
        self.text_encoder = text_encoder.to(device)
        self.unet = unet.to(device)
        self.scheduler = scheduler

    @torch.no_grad()
    def __call__(self, tokens, height=1024, width=1024, num_inference_steps=30, guidance_scale=7.5):
        tokens = tokens.to(self.device)
        text_embeddings, text_pool = self.text_encoder(tokens)

        # additional conditions: original size, crop position, target size
        size_embeddings = get_size_embeddings([[height, width, 0, 0, height, width]] * tokens.shape[0])
        size_embeddings = size_embeddings.to(self.device)
        vector_embeddings = torch.cat([text_pool, size_embeddings], dim=1)

        shape = (tokens.shape[0], 4, height // 8, width // 8)
        latents = torch.randn(shape, device=self.device, dtype=text_embeddings.dtype)
        self.scheduler.set_timesteps(num_inference_steps, device=self.device)
        for t in self.scheduler.timesteps:
            model_input = self.scheduler.scale_model_input(latents, t)
            noise_pred = self.unet(model_input, t, text_embeddings, vector_embeddings)
            latents = self.scheduler.step(noise_pred, t, latents).prev_sample
        return latents
