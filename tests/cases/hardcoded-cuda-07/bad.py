import math

import torch


class BlockAdam(torch.optim.Optimizer):
    """Adam that keeps one second moment for each block of a parameter."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0):
        defaults = dict(lr=lr, beta1=betas[0], beta2=betas[1], eps=eps, weight_decay=weight_decay)
        super().__init__(params, defaults)

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()

        for group in self.param_groups:
            beta1, beta2 = group["beta1"], group["beta2"]
            lr, eps = group["lr"], group["eps"]

            for p in group["params"]:
                if p.grad is None:
                    continue
                grad = p.grad.to(torch.float32)
                state = self.state[p]
                if len(state) == 0:
                    state["m"] = torch.zeros_like(p, dtype=torch.float32).to("cuda")  # error: [DL401]
                    state["step"] = 0
                    state["vmean"] = torch.zeros_like(p[:1], dtype=torch.float32).mean().to("cuda")  # error: [DL401]

                state["step"] += 1
                if group["weight_decay"] > 0.0:
                    p.mul_(1 - lr * group["weight_decay"])

                state["vmean"].mul_(beta2).add_(grad.pow(2).mean(), alpha=1 - beta2)
                state["m"].lerp_(grad, 1 - beta1)

                bias_correction1 = 1 - beta1 ** state["step"]
                bias_correction2 = math.sqrt(1 - beta2 ** state["step"])
                denom = (state["vmean"].sqrt() / bias_correction2).add_(eps)
                p.sub_(state["m"] / denom, alpha=lr / bias_correction1)

        return loss
