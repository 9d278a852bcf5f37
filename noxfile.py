"""The releases of Python and torch on which devlint has to work: `nox`, or `nox -s check-3.13`.

An interpreter that is not installed is skipped, and so is a torch that has no wheel for it.
"""

from __future__ import annotations

import nox

PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
TORCHES = ("2.6", "2.7", "2.8", "2.9", "2.10", "2.11", "2.12", "2.13", "2.14", "2.15")
CHECK = ("tests/model", "tests/project", "tests/report", "tests/pipeline", "tests/fuzzing", "tests/rules")
"""What needs no torch."""
RUN = ("tests/runtime", "tests/cli", "tests/integrations")
FOR_TESTS = (
    "pytest", "hypothesis", "jsonschema", "junitparser", "markdown-it-py", "pyyaml", "sarif-tools",
)  # fmt: skip
FOR_RUNS = ("numpy", "distributed", "flake8", "pytest-xdist", "expecttest", "ipython", "pygls>=2.0")

nox.options.default_venv_backend = "venv"
nox.options.error_on_missing_interpreters = False


@nox.session(python=PYTHONS)
def check(session: nox.Session) -> None:
    """The check, which needs no torch, on each Python."""
    session.install(".", *FOR_TESTS)
    session.run("python", "-m", "pytest", "-p", "no:cacheprovider", *(session.posargs or CHECK))


@nox.session(python=PYTHONS)
@nox.parametrize("torch", TORCHES)
def run(session: nox.Session, torch: str) -> None:
    """Runs, on each torch that there is for a Python."""
    try:
        session.install(f"torch=={torch}.*", silent=True)
    except nox.command.CommandFailed:
        session.skip(f"torch {torch} has no wheel for Python {session.python}")
    session.install("-e", ".[dev]", "--no-deps")
    session.install(".", *FOR_TESTS, *FOR_RUNS)
    session.run("python", "-m", "pytest", "-p", "no:cacheprovider", *(session.posargs or RUN))
