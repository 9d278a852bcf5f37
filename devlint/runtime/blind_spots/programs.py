"""Programs that the program starts: another interpreter is not observed, and the report says so."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from devlint.runtime.guards import current
from devlint.runtime.patches import Patches
from devlint.runtime.remarks import Remarks

_TORCHS_OWN = "torch._inductor"
"""The compiler's own workers, which run nothing of the program's."""
_UNSEEN = (
    "1 Python program that was started by `subprocess` was not looked into",
    "{count} Python programs that were started by `subprocess` were not looked into",
)


def patch(patches: Patches, remarks: Remarks) -> None:
    """Remark on each interpreter that observed code starts."""

    def around(start: Callable[..., Any]) -> Callable[..., Any]:
        def start_and_remark(process: Any, args: Any, *rest: Any, **options: Any) -> Any:
            if current() and _is_python(args):
                remarks.count(*_UNSEEN)
            return start(process, args, *rest, **options)

        return start_and_remark

    patches.wrap(subprocess.Popen, "__init__", around)


def _is_python(args: object) -> bool:
    """Whether a command starts an interpreter by its name, as `python train.py` does."""
    words = args if isinstance(args, list | tuple) else [args]
    texts = [os.fsdecode(word) for word in words if isinstance(word, str | bytes | os.PathLike)]
    if not texts or any(_TORCHS_OWN in text.replace(os.sep, ".") for text in texts):
        return False
    command = texts[0].split(maxsplit=1)[0] if texts[0].strip() else ""
    return command == sys.executable or Path(command).name.lower().startswith("python")
