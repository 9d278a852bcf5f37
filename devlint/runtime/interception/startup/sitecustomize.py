"""Imported by an interpreter that an observed program starts, before its own program runs.

This folder is on the interpreter's `PYTHONPATH` during its start. Afterwards, the module that is otherwise
found under this name is imported.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

_ROOT = str(Path(__file__).parents[4])
"""The directory of this devlint; the program's interpreter may have none, or another one."""

sys.path.insert(0, _ROOT)
with suppress(Exception):  # another release of Python may not be able to import it, and is then not observed
    from devlint.runtime.interception.task_file import redeem

    redeem()
sys.path.remove(_ROOT)

_own = sys.modules.pop(__name__)
with suppress(ModuleNotFoundError):
    import sitecustomize  # noqa: F401  # the program's own
sys.modules.setdefault(__name__, _own)  # Python looks it up after this module has run
