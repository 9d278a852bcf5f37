"""The options of `devlint run`: where they end, what they mean, what is refused. Nothing is run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from devlint.cli import Parser, main, run, run_options
from devlint.project.configuration import ConfigurationError
from devlint.runtime.policy.levels import Level
from devlint.runtime.policy.settings import EVERY_AUTO
from devlint.runtime.recording.recorder import Warmup


def parse(*words: str) -> Any:
    parser = Parser(prog="devlint run", allow_abbrev=False)
    run_options.add_arguments(parser)
    return parser.parse_args(words)


@pytest.mark.parametrize(
    ("words", "program"),
    [
        (["train.py"], (False, ["train.py"])),
        (["-q", "train.py", "-q", "--sync", "no"], (False, ["train.py", "-q", "--sync", "no"])),
        (["--sync", "log", "train.py", "--", "-m", "x"], (False, ["train.py", "--", "-m", "x"])),
        (["--", "train.py", "--", "x"], (False, ["train.py", "--", "x"])),
        (["-m", "pkg.train", "--simulate", "xyz", "-m"], (True, ["pkg.train", "--simulate", "xyz", "-m"])),
        (["--fail-on", "DL1", "-m", "pkg", "a.py"], (True, ["pkg", "a.py"])),
    ],
)
def test_options_end_at_the_program(words: list[str], program: tuple[bool, list[str]]) -> None:
    assert run_options.program_of(parse(*words)) == program


@pytest.mark.parametrize(
    ("text", "warmup"),
    [
        ("10", Warmup(occurrences=10)),
        ("5s", Warmup(seconds=5.0)),
        ("0.5s", Warmup(seconds=0.5)),
        ("3steps", Warmup(steps=3)),
        ("1step", Warmup(steps=1)),
    ],
)
def test_warmup(text: str, warmup: Warmup) -> None:
    assert run_options.settings_of(parse("--warmup", text, "x.py")).warmup == warmup


def test_settings() -> None:
    settings = run_options.settings_of(
        parse(
            *("--simulate", "cuda", "--devices", "2", "--sync", "disallow", "--no-compile"),
            *("--device-to-host", "log_explicit", "x.py"),
        )
    )
    assert (settings.simulate, settings.devices, settings.compiles) == ("cuda", 2, False)
    assert settings.levels.sync is Level.DISALLOW
    assert settings.levels.device_to_host is Level.LOG_EXPLICIT
    assert settings.levels.host_to_device is None
    plain = run_options.settings_of(parse("x.py"))
    assert (plain.simulate, plain.devices, plain.compiles, plain.warmup) == ("", 1, True, Warmup())


@pytest.mark.parametrize(
    ("words", "every"),
    [
        ([], EVERY_AUTO),
        (["--every", "auto"], EVERY_AUTO),
        (["--every", "7"], 7),
        (["--every", "1"], 1),
        (["--mismatch", "disallow"], EVERY_AUTO),
        (["--sync", "log"], EVERY_AUTO),
        (["--sync", "disallow"], 1),
        (["--host-to-device", "disallow_explicit"], 1),
        (["--trace", "x.jsonl"], 1),
        (["--warmup", "3"], 1),
        (["--hidden-waits", "debug"], 1),
        (["--simulate", "cuda"], 1),
        (["--simulate", "cuda", "--every", "auto"], EVERY_AUTO),
        (["--trace", "x.jsonl", "--every", "1"], 1),
    ],
)
def test_steps_are_left_out_where_nothing_needs_all(words: list[str], every: int) -> None:
    assert run_options.settings_of(parse(*words, "x.py")).every == every


@pytest.mark.parametrize("needs", [("--trace", "x.jsonl"), ("--sync", "disallow"), ("--warmup", "3")])
def test_what_needs_all_steps_is_not_combined_with_some(needs: tuple[str, str]) -> None:
    with pytest.raises(ConfigurationError, match="needs all steps"):
        run_options.settings_of(parse("--every", "auto", *needs, "x.py"))


@pytest.mark.parametrize("text", ["0", "00", "-1", "1.5", "all", "9" * 5000])
def test_a_number_of_steps_is_a_number(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse("--every", text, "x.py")
    assert "neither auto nor a number of steps" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "no program was passed"),
        (["--"], "no program was passed"),
        (["-m"], "needs the name of a module"),
        (["-mx", "a.py"], "two programs were passed: `a.py` and `-m`"),
        (["nowhere.py"], "nowhere.py: no such file or directory"),
        (["empty"], "contains no `__main__.py`"),
        (["--devices", "2", "a.py"], "needs --simulate"),
        (["--simulate", "tpu", "a.py"], "invalid choice"),
        (["--simulate", "cuda", "--devices", "0", "a.py"], "is not a number of devices"),
        (["--simulate", "cuda", "--devices", "129", "a.py"], "129 devices cannot be simulated"),
        (["--simulate", "cuda", "--devices", "9" * 5000, "a.py"], "there can be 1 to 128"),
        (["--sync", "log_explicit", "a.py"], "invalid choice"),
        (["--warmup", "soon", "a.py"], "is none of 10 (times)"),
        (["--warmup", "1.5steps", "a.py"], "is none of 10 (times)"),
        (["--fail-on", "DL7", "a.py"], "--fail-on: unknown rule code `DL7`"),
        (["--select", "XX", "a.py"], "--select: unknown rule code `XX`"),
        (["--config", "x.toml", "--isolated", "a.py"], "cannot be combined"),
        (["--output-file", "nowhere/x", "a.py"], "the directory does not exist"),
        (["--bogus", "a.py"], "unrecognized arguments: --bogus"),
        (["--trace", "nowhere/trace", "a.py"], "--trace: nowhere/trace: the directory does not exist"),
        (["-m", "devlint_has_no_such_module"], "there is no module `devlint_has_no_such_module`"),
        (["-m", ".relative"], "there is no module `.relative`"),
    ],
)
def test_bad_use_is_one_line_and_nothing_is_run(
    here: Path,
    capsys: pytest.CaptureFixture[str],
    process: None,  # noqa: ARG001
    words: list[str],
    why: str,
) -> None:
    (here / "a.py").write_text("raise AssertionError('it was run')\n")
    (here / "empty").mkdir()
    try:
        code = main(["run", *words])
    except SystemExit as refused:
        code = int(refused.code or 0)
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert why in err
    assert err.count("\n") == 1


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gives the process back what a program takes."""
    monkeypatch.setattr(sys, "argv", sys.argv)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])


def test_without_torch_there_is_nothing_to_observe(
    here: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    process: None,  # noqa: ARG001
) -> None:
    (here / "a.py").write_text("raise AssertionError('it was run')\n")
    monkeypatch.setattr(run, "has_torch", lambda: False)
    assert main(["run", "a.py"]) == 2
    err = capsys.readouterr().err
    assert "`pip install torch`" in err
    assert err.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="needs permissions")
def test_a_file_that_cannot_be_read(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    secret = here / "a.py"
    secret.write_text("")
    secret.chmod(0)
    try:
        secret.read_bytes()
    except PermissionError:
        assert main(["run", "a.py"]) == 2
        assert capsys.readouterr().err == "error: a.py: cannot be read\n"
    else:
        pytest.skip("who runs the tests may read everything")


@pytest.mark.parametrize(
    ("failing", "spoke", "failed", "code"),
    [
        (frozenset(), frozenset({"DL101"}), False, 0),
        (frozenset({"DL101"}), frozenset({"DL101", "DL201"}), False, 1),
        (frozenset({"DL101"}), frozenset({"DL201"}), False, 0),
        (frozenset({"DL101"}), frozenset({"DL201"}), True, 2),
        (frozenset({"DL101"}), frozenset({"DL101"}), True, 1),
        (frozenset({"DL101"}), None, False, 2),
        (frozenset(), None, True, 0),
    ],
)
def test_what_fails_a_program_that_succeeded(
    failing: frozenset[str], spoke: frozenset[str] | None, failed: bool, code: int
) -> None:
    assert run._verdict(failing, spoke, failed=failed) == code


def test_hidden_waits_name_one_of_torch_s_sources(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        main(["run", "--hidden-waits", "profiler", "train.py"])
    assert refused.value.code == 2
    assert "invalid choice: 'profiler'" in capsys.readouterr().err
