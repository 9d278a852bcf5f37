"""Agents of stable-baselines3, each trained for a few hundred steps and evaluated."""

from __future__ import annotations

import torch
from stable_baselines3 import A2C, DQN, PPO, SAC, TD3
from stable_baselines3.common.evaluation import evaluate_policy

AGENTS = (
    (PPO, "CartPole-v1", {"n_steps": 128, "batch_size": 64, "n_epochs": 2}),
    (A2C, "CartPole-v1", {}),
    (DQN, "CartPole-v1", {"learning_starts": 100, "buffer_size": 500}),
    (SAC, "Pendulum-v1", {"learning_starts": 200, "buffer_size": 500}),
    (TD3, "Pendulum-v1", {"learning_starts": 200, "buffer_size": 500}),
)


def main() -> None:
    """Train each, save and load it, and print its evaluation."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    for kind, environment, options in AGENTS:
        agent = kind("MlpPolicy", environment, seed=0, device=device, **options)
        agent.learn(256)
        agent.save("agent")
        agent = kind.load("agent", env=agent.get_env(), device=device)
        reward, spread = evaluate_policy(agent, agent.get_env(), n_eval_episodes=2, warn=False)
        weight = sum(parameter.double().abs().sum() for parameter in agent.policy.parameters())
        print(f"{kind.__name__}: reward {reward:.3f} ± {spread:.3f}, weights {weight.item():.5f}")


if __name__ == "__main__":
    main()
