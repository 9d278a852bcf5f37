import pytorch_lightning as pl
import torch
import torch.nn.functional as F


class DiffusionModel(pl.LightningModule):
    """Denoising diffusion with a weight for each timestep."""

    def __init__(self, unet, timesteps=1000, logvar_init=0.0, learn_logvar=False, lr=1e-4):
        super().__init__()
        self.model = unet
        self.num_timesteps = timesteps
        self.lr = lr

        betas = torch.linspace(1e-4**0.5, 2e-2**0.5, timesteps, dtype=torch.float64) ** 2
        alphas_cumprod = torch.cumprod(1.0 - betas, dim=0).float()
        self.register_buffer("sqrt_alphas_cumprod", torch.sqrt(alphas_cumprod))
        self.register_buffer("sqrt_one_minus_alphas_cumprod", torch.sqrt(1.0 - alphas_cumprod))

        self.learn_logvar = learn_logvar
        self.logvar = torch.full(fill_value=logvar_init, size=(self.num_timesteps,))  # error: [DL103]
        if self.learn_logvar:
            self.logvar = torch.nn.Parameter(self.logvar, requires_grad=True)

    def q_sample(self, x_start, t, noise):
        scale = self.sqrt_alphas_cumprod[t].view(-1, 1, 1, 1)
        sigma = self.sqrt_one_minus_alphas_cumprod[t].view(-1, 1, 1, 1)
        return scale * x_start + sigma * noise

    def p_losses(self, x_start, t):
        noise = torch.randn_like(x_start)
        x_noisy = self.q_sample(x_start, t, noise)
        model_out = self.model(x_noisy, t)
        loss_simple = F.mse_loss(model_out, noise, reduction="none").mean([1, 2, 3])

        logvar_t = self.logvar[t].to(self.device)  # also: [DL108]
        loss = loss_simple / torch.exp(logvar_t) + logvar_t
        return loss.mean()

    def training_step(self, batch, batch_idx):
        x = batch["image"]
        t = torch.randint(0, self.num_timesteps, (x.shape[0],), device=self.device)
        loss = self.p_losses(x, t)
        self.log("train/loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.lr)
