"""Programs that the program starts by `subprocess`: Python interpreters are observed like child processes.

The report mentions interpreters that are not observed, because of their flags or because they cannot import
devlint.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

from devlint.instrumentation.hooks import Failed, run_safely
from devlint.instrumentation.patches import Patches
from devlint.runtime.interception.child_task import ChildTask
from devlint.runtime.interception.task_file import issue
from devlint.runtime.policy.active_guards import ActiveGuards, current

_TORCHS_OWN = "torch._inductor"
"""The workers of torch's compiler, which run no code of the program."""
_OWN = ("-m", "devlint")
"""A `devlint` command that the program starts observes by itself."""
_ENVIRONMENT = 9
"""The position of `env` among the arguments of `Popen` after the command."""

Send = Callable[[ActiveGuards, Callable[[ChildTask], Path]], None]
"""Creates a task for these guards, passes it on, and expects a report if a file is returned."""


def patch(patches: Patches, send: Send, failed: Failed) -> None:
    """Send a task along with each interpreter that observed code starts. `failed` is told of an error of
    devlint's own."""

    def around(start: Callable[..., Any]) -> Callable[..., Any]:
        def start_observed(process: Any, args: Any, *rest: Any, **options: Any) -> Any:
            def hand_over(task: ChildTask) -> Path:
                file, options["env"] = issue(task, options.get("env"))
                return file

            def prepare() -> None:
                guards = current()
                if guards and len(rest) <= _ENVIRONMENT and _is_python(args):
                    send(guards, hand_over)

            run_safely(prepare, failed)
            return start(process, args, *rest, **options)

        return start_observed

    patches.wrap(subprocess.Popen, "__init__", around)


def _is_python(args: object) -> bool:
    """Whether a command starts an interpreter by its name, as `python train.py` does."""
    words = args if isinstance(args, list | tuple) else [args]
    texts = [os.fsdecode(word) for word in words if isinstance(word, str | bytes | os.PathLike)]
    if not texts or _is_left_alone(texts):
        return False
    command = texts[0].split(maxsplit=1)[0] if texts[0].strip() else ""
    return command == sys.executable or Path(command).name.lower().startswith("python")


def _is_left_alone(texts: list[str]) -> bool:
    return _OWN in pairwise(texts) or any(_TORCHS_OWN in text.replace(os.sep, ".") for text in texts)
