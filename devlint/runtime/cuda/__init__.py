"""Observations on real CUDA only: waits of torch in C++, which no mode gets."""
