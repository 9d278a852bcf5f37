"""What sets a run up, or reads what one has written, leaves it to the program when torch is imported."""

from __future__ import annotations

import subprocess
import sys

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
