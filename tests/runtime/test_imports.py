"""Tests that setting up a run, or reading a trace, does not import torch."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest

from devlint.runtime.interception.child_task import ChildTask
from devlint.runtime.policy.settings import RunSettings
from devlint.runtime.session.observation import in_spawned

WITHOUT_TORCH = (
    "devlint",
    "devlint.runtime.launch.watch",
    "devlint.runtime.policy.settings",
    "devlint.runtime.policy.levels",
    "devlint.runtime.trace",
    "devlint.runtime.recording.findings",
)


def test_torch_is_not_imported_before_the_program_imports_it() -> None:
    script = f"import sys, {', '.join(WITHOUT_TORCH)}; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_the_task_of_a_spawned_process_does_not_import_it_either() -> None:
    packed = pickle.dumps(ChildTask("report", RunSettings(), in_spawned))
    script = f"import pickle, sys; pickle.loads({packed!r}); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize("name", ["guard", "allow", "simulate"])
def test_without_torch_one_line_says_what_to_install(name: str) -> None:
    script = f"import sys; sys.modules['torch'] = None; import devlint; devlint.{name}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    expected = f"ModuleNotFoundError: devlint.{name} needs torch: pip install torch"
    assert done.stderr.splitlines()[-1] == expected
