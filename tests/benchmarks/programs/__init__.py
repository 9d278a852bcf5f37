"""Whole programs, written for CUDA by others, run on the CPU and on simulated devices."""
