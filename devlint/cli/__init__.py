"""The command line; one module a command, imported when it is called.

A command module has `add_arguments(parser)` and `run(arguments) -> int`, the exit code.
"""

from __future__ import annotations

import argparse
import errno
import gc
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import NoReturn, TextIO

from devlint.cli.exit import ExitCode, ProgramInterrupted
from devlint.version import __version__

COMMANDS = {
    "check": "find device mismatches, needless copies and synchronizations in source code",
    "run": "run a program and report its device mismatches, copies and synchronizations",
    "report": "show the report of a trace that `devlint run --trace` wrote",
    "explain": "explain an error about devices, from its text",
    "port": "make a program that is written for one CUDA device run on any",
    "server": "serve an editor by the Language Server Protocol",
    "rule": "explain a rule, or all rules",
    "init": "write a commented configuration file",
    "clean": "delete the cache",
    "completion": "print the script by which a shell completes commands and options",
    "help": "show the help of a command",
}
"""Each command's name and what it does. Each, except `help`, is implemented by the module of its name."""
COLLECT_AFTER = 50_000
"""How many new objects trigger a collection of the youngest generation.

With Python's default of 700, collections take a twentieth of a check's time. Memory use stays the same,
because few objects are in reference cycles.
"""


def start() -> NoReturn:
    """Run a command, then end the process. This is the installed script `devlint`.

    The process ends without deleting its objects one by one, which would take a fifth of a check of one file.
    `devlint run` ends as the program ends.
    """
    if sys.argv[1:2] == ["run"]:
        sys.exit(main())
    gc.set_threshold(COLLECT_AFTER)
    os._exit(main())


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code (see `ExitCode`). Without `argv`, use the arguments of the
    process.

    Raises:
        KeyboardInterrupt: a program that was run has ended by it, so that the interpreter is to end as it
            would have, by the signal and after its finalizers. It prints no traceback.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if sys.stdout is None:  # closed by the caller, which only wants the exit code
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    if arguments[:1] != ["run"]:  # the program gets the streams unchanged
        _accept_all_characters()
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except ProgramInterrupted:
        sys.excepthook = _show_nothing
        raise KeyboardInterrupt from None
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)  # noqa: T201
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        # The reader of the output has gone. The stream is flushed again at exit, and must not fail again.
        _give_up(sys.stdout)
        return ExitCode.BROKEN_PIPE
    except OSError as error:
        if error.errno not in _OUTPUT_FAILS or error.filename is not None:
            return _failed(error)
        _give_up(sys.stdout)
        return _refuse(f"standard output: {error.strerror}")
    except Exception as error:  # Python would exit with 1, which means that there are findings
        return _failed(error)
    return code


def _show_nothing(*_: object) -> None:
    """Take the place of `sys.excepthook` for an error that was shown."""


def _failed(error: Exception) -> ExitCode:
    """Say in one line what devlint could not do."""
    try:
        os.getcwd()  # noqa: PTH109
    except OSError as gone:
        return _refuse(f"the working directory cannot be used: {gone.strerror}")
    from devlint.pipeline.files.failure import REPORT, where  # noqa: PLC0415  # a command that succeeds needs none

    return _refuse(f"devlint failed ({where(error)}); {REPORT}")


def _refuse(why: str) -> ExitCode:
    from devlint.cli.output import say  # noqa: PLC0415  # a command that succeeds needs none

    say(f"error: {why}")
    return ExitCode.BAD_USE


_OUTPUT_FAILS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
"""Whether an error comes from a stream: it names no file, and is not about memory or processes."""


def _give_up(stream: TextIO) -> None:
    """Discard all further output, also that at the end of the process."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _accept_all_characters() -> None:
    """Let characters that the terminal's encoding lacks be escaped instead of ending the command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _run(arguments: list[str]) -> int:
    if arguments[:1] == ["help"]:
        return _help(arguments[1:])
    if arguments and arguments[0] in COMMANDS:
        name = arguments[0]
        command = import_module(f"devlint.cli.{name}")
        parser = Parser(
            prog=f"devlint {name}",
            description=command.__doc__,
            formatter_class=Formatter,
            allow_abbrev=False,
        )
        command.add_arguments(parser)
        code: int = command.run(parser.parse_args(arguments[1:]))
        return code
    parser = _parser()
    parser.parse_args(arguments)
    if arguments:
        parser.error(_refusal(arguments[0]))
    parser.print_help()
    return ExitCode.BAD_USE


def _help(names: list[str]) -> int:
    """Show the help of one command, or the list of all."""
    parser = _parser()
    if not names or names == ["help"]:
        parser.print_help()
        return ExitCode.CLEAN
    if names[0] not in COMMANDS:
        parser.error(_refusal(names[0]))
    return _run([names[0], "--help"])


def _refusal(name: str) -> str:
    if Path(name).exists():
        return f"unknown command `{name}`; did you mean `devlint check {name}`?"
    import difflib  # noqa: PLC0415  # only a refusal needs it

    near = difflib.get_close_matches(name, COMMANDS, n=1)
    hint = f"did you mean `{near[0]}`?" if near else f"choose from {', '.join(COMMANDS)}"
    return f"unknown command `{name}`; {hint}"


class Formatter(argparse.HelpFormatter):
    """Help that is as wide as the terminal.

    argparse asks for the width for each option that is added, and would import `shutil` and its codecs for
    it.
    """

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_width() - 2)


class Parser(argparse.ArgumentParser):
    """A parser whose errors take one line."""

    def error(self, message: str) -> NoReturn:
        """Print what is wrong and exit. If an option is unknown, suggest the nearest one."""
        _, unknown, words = message.partition("unrecognized arguments: ")
        hint = self._nearest(words) if unknown else ""
        from devlint.cli.output import say  # noqa: PLC0415  # only a refusal needs it

        say(f"error: {message}{hint}; see `{self.prog} --help`")
        self.exit(ExitCode.BAD_USE)

    def _nearest(self, words: str) -> str:
        import difflib  # noqa: PLC0415  # only a refusal needs it

        for word in words.split():
            option = word.partition("=")[0]
            near = difflib.get_close_matches(option, self._option_string_actions, n=1)
            if option.startswith("--") and near:
                return f"; did you mean `{near[0]}`?"
        return ""


def _width() -> int:
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return int(columns)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or 80
    except (AttributeError, ValueError, OSError):
        return 80


def _parser() -> Parser:
    width = max(map(len, COMMANDS))
    listing = "\n".join(f"  {name:{width}}  {what}" for name, what in COMMANDS.items())
    parser = Parser(
        prog="devlint",
        usage="devlint [-V] [-h] COMMAND ...",
        description="Finds device mismatches, needless copies and synchronizations in PyTorch programs.",
        epilog=f"commands:\n{listing}\n\n`devlint help COMMAND` describes a command.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("-V", "--version", action="version", version=f"devlint {__version__}")
    parser.add_argument("rest", nargs="*", help=argparse.SUPPRESS)
    return parser
