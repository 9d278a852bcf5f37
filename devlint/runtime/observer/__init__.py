"""The function mode that sees each call of torch: who called what, with which operands."""

from devlint.runtime.observer.mode import Observer, observer_here

__all__ = ["Observer", "observer_here"]
