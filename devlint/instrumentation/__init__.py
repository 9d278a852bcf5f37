"""Reversible changes to torch and to Python: what the observer of running programs and simulated devices share."""
