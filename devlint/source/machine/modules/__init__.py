"""The effects of `torch.nn.Module`: registration, moves, copies, and torch's layers."""
