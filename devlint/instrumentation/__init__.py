"""Reversible changes to torch and to Python, for the observer of running programs and simulated devices."""
