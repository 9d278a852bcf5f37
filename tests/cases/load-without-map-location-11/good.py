import copy
from pathlib import Path

import torch
from accelerate import Accelerator
from torch.optim import Adam


@torch.no_grad()
def update_ema(ema_model, model, decay):
    for averaged, current in zip(ema_model.parameters(), model.parameters()):
        averaged.lerp_(current, 1 - decay)


class DiffusionTrainer:
    def __init__(self, diffusion, dataloader, *, lr = 1e-4, num_steps = 100000, ema_decay = 0.995, folder = './runs'):
        self.accelerator = Accelerator()
        self.num_steps = num_steps
        self.ema_decay = ema_decay
        self.step = 0

        self.folder = Path(folder)
        self.folder.mkdir(parents = True, exist_ok = True)

        self.ema = copy.deepcopy(diffusion).to(self.accelerator.device)
        optimizer = Adam(diffusion.parameters(), lr = lr)
        self.model, self.opt, self.dataloader = self.accelerator.prepare(diffusion, optimizer, dataloader)

    def path_of(self, milestone):
        return str(self.folder / f'milestone-{milestone:04d}.pt')

    def save(self, milestone):
        if self.accelerator.is_main_process:
            model = self.accelerator.unwrap_model(self.model)
            state = dict(step = self.step, model = model.state_dict(), ema = self.ema.state_dict(), opt = self.opt.state_dict())
            torch.save(state, self.path_of(milestone))

    def load(self, milestone):
        state = torch.load(self.path_of(milestone), map_location = self.accelerator.device)
        self.step = state['step']
        self.accelerator.unwrap_model(self.model).load_state_dict(state['model'])
        self.ema.load_state_dict(state['ema'])
        self.opt.load_state_dict(state['opt'])

    def train(self):
        batches = iter(self.dataloader)
        while self.step < self.num_steps:
            loss = self.model(next(batches))
            self.accelerator.backward(loss)
            self.accelerator.clip_grad_norm_(self.model.parameters(), 1.0)
            self.opt.step()
            self.opt.zero_grad()
            update_ema(self.ema, self.accelerator.unwrap_model(self.model), self.ema_decay)
            self.step += 1
