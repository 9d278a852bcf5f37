"""The process: what it imports, how it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from devlint import __version__
from devlint.cli import COMMANDS, main
from devlint.cli.progress import watched

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--version"])
    assert left.value.code == 0
    assert capsys.readouterr().out == f"devlint {__version__}\n"
    with pytest.raises(SystemExit) as left:
        main(["--help"])
    assert left.value.code == 0
    shown = capsys.readouterr().out
    assert all(command in shown for command in COMMANDS)


def test_short_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["-V"])
    assert capsys.readouterr().out == f"devlint {__version__}\n"


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "help"])
def test_help_of_a_command_is_what_the_command_says(capsys: pytest.CaptureFixture[str], command: str) -> None:
    for arguments in (["help", command], [command, "--help"]):
        with pytest.raises(SystemExit) as left:
            main(arguments)
        assert left.value.code == 0
    first, _, second = capsys.readouterr().out.partition(f"usage: devlint {command}")[2].partition("usage: ")
    assert second == f"devlint {command}{first}"


def test_help_lists_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help"]) == 0
    assert "commands:" in capsys.readouterr().out


def test_no_command_shows_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "commands:" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["chekc"], "did you mean `check`?"),
        ([str(ROOT)], "did you mean `devlint check"),
        (["--frob"], "--help"),
        (["help", "chekc"], "did you mean `check`?"),
        (["check", "--selct", "DL1"], "did you mean `--select`?"),
        (["check", "--selct=DL1"], "did you mean `--select`?"),
        (["clean", "--cache"], "did you mean `--cache-dir`?"),
    ],
)
def test_what_is_no_command(capsys: pytest.CaptureFixture[str], arguments: list[str], hint: str) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2
    err = capsys.readouterr().err
    assert hint in err
    assert err.count("\n") == 1


def devlint(arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """What a shell makes of it."""
    command = f"{sys.executable} -m devlint {arguments}"
    return subprocess.run(
        command, shell=True, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full")
@pytest.mark.parametrize("arguments", ["check bad.py --no-cache", "rule --all"])
def test_output_that_cannot_be_written_is_no_finding(tmp_path: Path, arguments: str) -> None:
    (tmp_path / "bad.py").write_text(BUG)
    done = devlint(f"{arguments} > /dev/full", tmp_path)
    assert done.returncode == 2
    assert done.stderr == "error: standard output: No space left on device\n"


@pytest.mark.skipif(os.name == "nt", reason="a shell of another kind")
def test_closed_streams(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(BUG)
    assert devlint("check bad.py --no-cache >&-", tmp_path).returncode == 1
    closed = devlint("check - <&-", tmp_path)
    assert (closed.returncode, closed.stderr.count("\n")) == (2, 1)
    assert "standard input is closed" in closed.stderr


@pytest.mark.parametrize("command", ["check -o", "run -o", "run --trace"])
def test_a_program_is_not_overwritten_by_a_report(tmp_path: Path, command: str) -> None:
    (tmp_path / "bad.py").write_text(BUG)
    done = devlint(f"{command} bad.py bad.py", tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "bad.py: is a source file and would be overwritten" in done.stderr
    assert (tmp_path / "bad.py").read_text() == BUG


def test_a_dash_is_standard_output(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(BUG)
    assert "DL102" in devlint("check --no-cache -o - bad.py", tmp_path).stdout
    assert not (tmp_path / "-").exists()


BUG = "import torch\nx = torch.ones(3, device='cuda') + torch.ones(3)\n"
UNASKED = "rich pathspec torch yaml numpy"
HEAVY = f"libcst {UNASKED}"
UNUSED = (
    f"{HEAVY} ast dataclasses json shutil "
    "devlint.model.finding devlint.rules.base devlint.project.suppression"
)
"""What a file that cannot have a finding needs none of."""


@pytest.mark.parametrize(
    ("arguments", "unwanted"),
    [
        (["--version"], f"{HEAVY} devlint.rules devlint.source devlint.report"),
        (["--help"], f"{HEAVY} devlint.rules devlint.source devlint.report"),
        (["check", "--help"], HEAVY),
        (["check", "plain.py"], UNUSED),
        (["check", "--force-exclude", "plain.py"], UNUSED),
        (["check", "--isolated", "--output-format", "concise", "plain.py"], UNUSED),
        (["check", "clean.py"], f"devlint.source.locate devlint.source.edits {UNASKED}"),
        (["check", "bug.py"], UNASKED),
        (["check", "--diff", "bug.py"], UNASKED),
        (["check", "--fix", "bug.py"], UNASKED),
        (["rule", "DL101"], HEAVY),
        (["run", "--help"], HEAVY),
        (["report", "--help"], HEAVY),
    ],
)
def test_only_what_is_needed_is_imported(tmp_path: Path, arguments: list[str], unwanted: str) -> None:
    (tmp_path / "plain.py").write_text("x = 1  # noqa\n")
    (tmp_path / "clean.py").write_text("import torch\nx = torch.ones(3)\n")
    (tmp_path / "bug.py").write_text(BUG)
    assert imported(tmp_path, arguments, unwanted) == []


@pytest.mark.parametrize(
    ("name", "unwanted"),
    [
        ("clean.py", f"{UNUSED} devlint.pipeline.analysis.text devlint.source.decode"),
        ("bug.py", f"{HEAVY} devlint.source.observation devlint.rules.engine devlint.rules.base"),
    ],
)
def test_a_second_time_even_less_is(tmp_path: Path, name: str, unwanted: str) -> None:
    (tmp_path / "clean.py").write_text("import torch\nx = torch.ones(3)\n")
    (tmp_path / "bug.py").write_text(BUG)
    imported(tmp_path, ["check", name], "")
    assert imported(tmp_path, ["check", name], unwanted) == []


def imported(directory: Path, arguments: list[str], unwanted: str) -> list[str]:
    """Which of the unwanted modules a command imports."""
    script = (
        "import sys\nfrom devlint.cli import main\n"
        "try:\n    main(sys.argv[2:])\nexcept SystemExit:\n    pass\n"
        "print('IMPORTED', *[name for name in sys.argv[1].split() if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, unwanted, *arguments],
        cwd=directory,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()[-1].split()[1:]


def test_a_reader_that_has_gone_is_no_error(tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"bad_{number}.py").write_text("x = (\n" * 3)
    read, write = os.pipe()
    os.close(read)
    try:
        command = [sys.executable, "-m", "devlint", "check", "--output-format", "json"]
        done = subprocess.run(
            command, cwd=tmp_path, env=ENVIRONMENT, stdout=write, stderr=subprocess.PIPE, check=False
        )
    finally:
        os.close(write)
    assert done.stderr == b""
    assert done.returncode == 141


@pytest.mark.usefixtures("interruptible")
def test_interruption_is_no_traceback(tmp_path: Path) -> None:
    # The check waits for standard input, so that the signal finds it at work.
    script = (
        "import io, os, signal, sys\n"
        "from devlint.cli import main\n"
        "class Waiting:\n"
        "    class buffer:\n"
        "        read = staticmethod(lambda: os.kill(os.getpid(), signal.SIGINT) or b'')\n"
        "sys.stdin = Waiting()\n"
        "sys.exit(main(['check', '-']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (128 + signal.SIGINT, "", "interrupted\n")


def test_characters_that_the_output_lacks_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "größe.py").write_text("größe = (\n")
    done = subprocess.run(
        [sys.executable, "-m", "devlint", "check"],
        cwd=tmp_path,
        env={**ENVIRONMENT, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1
    assert rb"gr\xf6\xdfe.py:1:" in done.stdout
    assert done.stderr == b""


def test_what_is_installed_ends_at_once_and_loses_nothing(tmp_path: Path) -> None:
    for number in range(200):
        (tmp_path / f"bad_{number}.py").write_text("x = (\n")
    done = installed(tmp_path, "check", "--output-format", "concise")
    assert done.returncode == 1
    assert done.stdout.count("DL900") == 200
    assert done.stderr == ""
    assert installed(tmp_path, "check", "nothing.py").returncode == 2
    assert installed(tmp_path, "--version").stdout == f"devlint {__version__}\n"


def test_a_program_that_is_run_ends_as_it_would(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("import atexit\natexit.register(print, 'the end')\nprint('go')\n")
    assert installed(tmp_path, "run", "program.py").stdout == "go\nthe end\n"


def installed(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What the command does that installing devlint makes."""
    return subprocess.run(
        [sys.executable, "-c", "from devlint.cli import start; start()", *arguments],
        cwd=directory,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_runs_as_a_module() -> None:
    command = [sys.executable, "-m", "devlint", "--version"]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=True)
    assert done.stdout == f"devlint {__version__}\n"


class Terminal:
    def __init__(self) -> None:
        self.written: list[str] = []

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.written.append(text)
        return len(text)

    def flush(self) -> None: ...


@pytest.mark.parametrize(("patience", "shown"), [(0.0, True), (3600.0, False)])
def test_the_bar_is_for_those_who_wait(monkeypatch: pytest.MonkeyPatch, patience: float, shown: bool) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr("devlint.cli.progress.PATIENCE", patience)
    monkeypatch.setenv("TERM", "xterm")
    assert list(watched(range(5), 5)) == [0, 1, 2, 3, 4]
    assert ("files" in "".join(terminal.written)) is shown


def test_no_bar_without_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("devlint.cli.progress.PATIENCE", 0.0)
    assert list(watched(range(5), 5)) == [0, 1, 2, 3, 4]
    assert capsys.readouterr().err == ""


def test_the_package_lists_what_it_offers() -> None:
    import devlint as package  # noqa: PLC0415

    assert {"allow", "guard", "simulate"} <= set(dir(package))


@pytest.mark.skipif(os.name == "nt", reason="a directory in use cannot be removed there")
@pytest.mark.parametrize("command", ["check .", "report x", "clean", "explain x", "run x.py", "init"])
def test_a_working_directory_that_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert main(command.split()) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ")
    assert said.count("\n") == 1


@pytest.mark.parametrize("error", [KeyError("a\nb"), RecursionError(), MemoryError(), ValueError("x" * 9999)])
def test_a_failure_of_devlint_is_one_line(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception
) -> None:
    (here / "a.py").write_text("BUG\n")

    def failing(*_: object) -> None:
        raise error

    monkeypatch.setattr("devlint.report.concise.render", failing)
    assert main(["check", "--output-format", "concise"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"error: devlint failed ({type(error).__name__}")
    assert said.count("\n") == 1
    assert len(said) < 300
