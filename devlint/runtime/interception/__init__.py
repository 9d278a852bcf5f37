"""Observing what a function mode does not get; one module for each kind.

All patches are only active during an observation, and are undone afterwards.
"""
