import os

import numpy as np
import torch
from torch import optim
from torch import nn


class DQN(nn.Module):
    def __init__(self, args, action_space):
        super(DQN, self).__init__()
        self.convs = nn.Sequential(
            nn.Conv2d(args.history_length, 32, 8, stride=4), nn.ReLU(),
            nn.Conv2d(32, 64, 4, stride=2), nn.ReLU(),
            nn.Conv2d(64, 64, 3), nn.ReLU())
        self.fc = nn.Linear(3136, action_space)

    def forward(self, x):
        x = self.convs(x)
        return self.fc(x.view(-1, 3136))


class Agent():
    def __init__(self, args, env):
        self.action_space = env.action_space()
        self.discount = args.discount
        self.online_net = DQN(args, self.action_space).to(device=args.device)
        if args.model and os.path.isfile(args.model):
            self.online_net.load_state_dict(torch.load(args.model, map_location='cpu'))
        self.online_net.train()

        self.target_net = DQN(args, self.action_space).to(device=args.device)
        self.update_target_net()
        self.target_net.eval()
        self.optimiser = optim.Adam(self.online_net.parameters(), lr=args.lr, eps=args.adam_eps)

    # Acts based on single state (no batch)
    def act(self, state):
        with torch.no_grad():
            return self.online_net(state.unsqueeze(0)).argmax(1).item()

    # Acts with an ε-greedy policy
    def act_e_greedy(self, state, epsilon=0.001):
        return np.random.randint(self.action_space) if np.random.random() < epsilon else self.act(state)

    def update_target_net(self):
        self.target_net.load_state_dict(self.online_net.state_dict())

    def save(self, path):
        torch.save(self.online_net.state_dict(), os.path.join(path, 'model.pth'))
