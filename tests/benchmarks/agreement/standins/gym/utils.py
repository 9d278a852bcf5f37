"""What gym keeps in `gym.utils`, from gymnasium."""

from __future__ import annotations

from gymnasium.utils import EzPickle

__all__ = ["EzPickle"]
