"""What `torch.nn.Module` does: registration, moves, copies, and the layers that torch brings."""
