"""`devlint run` does to a program nothing that the program could tell. These programs do without torch."""

from __future__ import annotations

import py_compile
import signal
import sys
import textwrap
import zipfile
from pathlib import Path

import pytest

from tests.cli.programs import DEVLINT, alike, ended, start


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(text))


INVENTORY = """\
    import atexit, multiprocessing, sys, threading, time

    def double(x):
        return 2 * x

    def later():
        time.sleep(0.05)
        print("a thread that outlives main")

    if __name__ == "__main__":
        print(sys.argv, sys.path[0], __file__, __name__, __package__, __spec__, type(__loader__))
        print(sorted(globals()), __builtins__, sys.modules["__main__"].__dict__ is globals())
        print(sys.stdout.errors, sys.stderr.errors, sys.stdout.encoding, input())
        print(sorted(name for name in sys.modules if name.split(".")[0] in ("torch", "libcst", "rich")))
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            print(pool.map(double, [1, 2]))
        atexit.register(print, "at exit")
        threading.Thread(target=later).start()
        sys.exit(3)
"""


def test_a_script(tmp_path: Path) -> None:
    write(tmp_path / "sub" / "inventory.py", INVENTORY)
    done = alike(tmp_path, "sub/inventory.py", "-q", "--", "--sync")
    assert done.code == 3
    assert "[2, 4]" in done.out
    assert done.out.endswith("a thread that outlives main\nat exit\n")


FAILING = """\
    import logging, sys

    def fail():
        raise KeyError("inner")

    try:
        fail()
    except KeyError:
        logging.exception("logged")
    try:
        fail()
    except KeyError as error:
        print("printed")
        raise ValueError("outer") from error
"""


@pytest.mark.parametrize("form", ["script", "compiled", "module", "package", "directory", "archive"])
def test_an_exception_in_whatever_can_be_run(tmp_path: Path, form: str) -> None:
    text = textwrap.dedent(FAILING)
    write(tmp_path / "failing.py", text)
    py_compile.compile(str(tmp_path / "failing.py"), str(tmp_path / "compiled.pyc"))
    write(tmp_path / "package" / "__init__.py", "print('package')\n")
    write(tmp_path / "package" / "__main__.py", text)
    write(tmp_path / "directory" / "__main__.py", "import sys; print(sys.argv, sys.path[0])\n" + text)
    with zipfile.ZipFile(tmp_path / "archive.zip", "w") as archive:
        archive.writestr("__main__.py", text)
    program = {
        "script": ["failing.py"],
        "compiled": ["compiled.pyc"],
        "module": ["-m", "failing"],
        "package": ["-m", "package", "-m"],
        "directory": ["directory", "x"],
        "archive": ["archive.zip"],
    }[form]
    done = alike(tmp_path, *program)
    assert done.code == 1
    assert done.err.count("Traceback") == 3
    assert done.err.endswith("ValueError: outer\n")


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("import sys; print('x'); sys.exit('a reason')", 1, "a reason\n"),
        ("x = (\n", 1, "SyntaxError"),
        ("import sys; sys.excepthook = lambda *_: print('hook', _[0]); 1 / 0", 1, ""),
        ("import sys; sys.excepthook = None; 1 / 0", 1, "Error in sys.excepthook"),
        ("import os; os._exit(7)", 7, ""),
        ("import os, signal; os.kill(os.getpid(), signal.SIGINT)", -signal.SIGINT, "KeyboardInterrupt"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM, ""),
        ("import sys; sys.stdout.close()", 0, ""),
        ("import os; print(os.fork() and os.wait() and 'parent')", 0, ""),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="signals and forks")
@pytest.mark.usefixtures("interruptible")
def test_an_end(tmp_path: Path, text: str, code: int, words: str) -> None:
    write(tmp_path / "ends.py", text)
    done = alike(tmp_path, "ends.py")
    assert done.code == code
    assert words in done.err


@pytest.mark.parametrize("flags", [("-X", "dev", "-W", "error"), ("-s", "-P"), ("-O", "-u")])
def test_flags_of_the_interpreter(tmp_path: Path, flags: tuple[str, ...]) -> None:
    if "-P" in flags and sys.version_info < (3, 11):
        pytest.skip("it has no -P")
    write(tmp_path / "flags.py", "import sys; print(sys.path, sys.flags, __debug__); assert False\n")
    alike(tmp_path, "flags.py", flags=flags)


def test_notes_are_shown(tmp_path: Path) -> None:
    write(tmp_path / "noted.py", "error = ValueError('x')\nerror.__notes__ = ['a note']\nraise error\n")
    done = ended(start(tmp_path, *DEVLINT, "-q", "noted.py"))
    assert done.err.endswith("ValueError: x\na note\n")


def test_a_program_without_torch_is_said_to_have_none(tmp_path: Path) -> None:
    write(tmp_path / "plain.py", "print('hello')\n")
    done = ended(start(tmp_path, *DEVLINT, "plain.py"))
    assert (done.code, done.out) == (0, "hello\n")
    assert done.err == (
        "Nothing was found.\nnote: the program did not import torch, so nothing was observed\n"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
def test_a_process_without_standard_error(tmp_path: Path) -> None:
    write(tmp_path / "mute.py", "import sys; print(sys.stderr); sys.exit('unheard')\n")
    closed = ("sh", "-c", 'exec "$0" "$@" 2>&-', *DEVLINT)
    done = ended(start(tmp_path, *closed, "mute.py"))
    assert (done.code, done.out) == (1, "None\n")
