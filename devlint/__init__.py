"""devlint finds mixed devices, hidden copies and hidden waits in PyTorch programs."""

__version__ = "0.1.0"
