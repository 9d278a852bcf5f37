"""Programs as processes: run by Python, and by `devlint run` beside it."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests import forks

ROOT = Path(__file__).parents[2]
_PATH = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
ENVIRONMENT = {**os.environ, "PYTHONPATH": _PATH}
ENVIRONMENT.pop("FORCE_COLOR", None)
DEVLINT = (sys.executable, "-m", "devlint", "run")


@dataclass(frozen=True, slots=True)
class Done:
    """How a process ended and what it said."""

    code: int
    out: str
    err: str


def start(
    where: Path, *command: str, stdin: str = "", environment: Mapping[str, str] = ENVIRONMENT
) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        command,
        cwd=where,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    process.stdin.write(stdin)
    return process


def ended(process: subprocess.Popen[str]) -> Done:
    out, err = process.communicate(timeout=120)
    return Done(process.returncode, _same_everywhere(out), _same_everywhere(err))


def observed(where: Path, *arguments: str) -> Done:
    """`devlint run` with these arguments, where torch is imported already if processes can be forked."""
    return devlint(where, "run", *arguments)


def devlint(where: Path, *words: str, environment: Mapping[str, str] = ENVIRONMENT) -> Done:
    """`devlint` with these arguments, where torch is imported already if processes can be forked."""
    if hasattr(os, "fork"):
        return _forked(("devlint", *words), where, environment)
    return ended(start(where, *DEVLINT[:-1], *words, environment=environment))


def _forked(arguments: Sequence[str], where: Path, environment: Mapping[str, str]) -> Done:
    done = forks.run(arguments, where, environment)
    return Done(done.code, _same_everywhere(done.out), _same_everywhere(done.err))


def shell(where: Path, line: str, programs: Path, environment: Mapping[str, str] = ENVIRONMENT) -> Done:
    """A line of shell, with both streams in `out`; `programs` gets a `devlint` for it.

    A lone command of devlint runs where its imports are done already if processes can be forked.
    """
    command, _, rest = line.partition(" 2>&1 | ")
    if command.startswith("devlint ") and not re.search(r"[$`&|;<>*]", command) and hasattr(os, "fork"):
        code, written, _ = forks.run(shlex.split(command), where, environment, merged=True)
        if not rest:
            return Done(code, written, "")
        line = rest
    else:
        written = ""
        program = programs / "devlint"
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m devlint "$@"\n')
        program.chmod(0o755)
        environment = {**environment, "PATH": f"{programs}{os.pathsep}{environment['PATH']}"}
    ran = subprocess.run(
        ("bash", "-c", line),
        cwd=where,
        env=environment,
        input=written,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return Done(ran.returncode, ran.stdout, "")


def python(where: Path, *words: str) -> Done:
    """A file with these arguments, where torch is imported already if processes can be forked."""
    if hasattr(os, "fork"):
        return _forked(words, where, ENVIRONMENT)
    return ended(start(where, sys.executable, *words))


def alike(
    where: Path, *program: str, options: tuple[str, ...] = ("-q",), flags: tuple[str, ...] = ()
) -> Done:
    """What Python makes of a program, which must be what `devlint run` makes of it, to the letter.

    `flags` are the interpreter's, `options` devlint's.
    """
    python = (sys.executable, *flags)
    plain, watched = (
        start(where, *command, *program, stdin="some input\n")
        for command in (python, (*python, *DEVLINT[1:], *options))
    )
    expected, found = ended(plain), ended(watched)
    assert found == expected
    return expected


def _same_everywhere(text: str) -> str:
    """Text without the addresses of objects, which differ from process to process."""
    return re.sub(r"0x[0-9a-f]+", "0x", text)
