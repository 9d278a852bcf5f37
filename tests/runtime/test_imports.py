"""What sets a run up, or reads what one has written, leaves it to the program when torch is imported."""

from __future__ import annotations

import pickle
import subprocess
import sys

from devlint.runtime.blind_spots.errand import Errand
from devlint.runtime.observation import in_spawned
from devlint.runtime.settings import Settings

WITHOUT_TORCH = (
    "devlint",
    "devlint.runtime.launching.watch",
    "devlint.runtime.settings",
    "devlint.runtime.policy",
    "devlint.runtime.trace",
    "devlint.runtime.findings",
)


def test_torch_is_not_imported_before_the_program_imports_it() -> None:
    script = f"import sys, {', '.join(WITHOUT_TORCH)}; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_the_errand_of_a_spawned_process_does_not_import_it_either() -> None:
    packed = pickle.dumps(Errand("report", Settings(), in_spawned))
    script = f"import pickle, sys; pickle.loads({packed!r}); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
