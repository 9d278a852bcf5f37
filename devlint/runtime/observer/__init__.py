"""The function mode that sees each call of torch: who called what, with which operands."""

from devlint.runtime.observer.mode import Observer

__all__ = ["Observer"]
