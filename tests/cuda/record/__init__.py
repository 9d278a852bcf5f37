"""Records what real CUDA does, for everything that devlint claims of it: see docs/cuda.md."""
