"""Found by an interpreter that an observed program has started, and run before anything of its program.

This folder is on the interpreter's `PYTHONPATH` for that, as long as it starts. What it would have found
under this name without it, it finds after it.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

_ROOT = str(Path(__file__).parents[4])
"""Where the devlint is that observes; the program may know none, or another."""

sys.path.insert(0, _ROOT)
with suppress(Exception):  # another Python may not read it; then it is not observed
    from devlint.runtime.interception.task_file import redeem

    redeem()
sys.path.remove(_ROOT)

_own = sys.modules.pop(__name__)
with suppress(ModuleNotFoundError):
    import sitecustomize  # noqa: F401  # the program's own
sys.modules.setdefault(__name__, _own)  # which Python looks for when this has run
