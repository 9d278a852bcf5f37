"""What the machine has seen, whether it lies on a hot path, and every reason not to report it."""
