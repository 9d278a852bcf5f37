"""Runs whole programs that others have written for CUDA on the CPU and on simulated devices."""
