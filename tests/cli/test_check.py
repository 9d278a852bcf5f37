"""`devlint check`: what is shown, what is written, and the exit code."""

from __future__ import annotations

import io
import json
from pathlib import Path

import jsonschema
import pytest

from devlint.cli import main
from devlint.rules import registry
from tests.cli.conftest import passed

NOT_WAITS = sum(not code.startswith("DL2") for code in registry.default_codes())
SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "schema" / "findings.json").read_text())


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["check", *arguments])
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    return code, out, err


def pipe(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_clean(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.py").write_text("OK\n")
    assert run(capsys) == (0, f"{passed()}\n", "")


@pytest.mark.parametrize(
    ("options", "shown", "closing"),
    [
        (
            ["--confidence", "certain"],
            [],
            "2 less certain findings not shown (`--confidence possible` shows them).",
        ),
        ([], ["DL105"], "1 possible finding not shown (`--confidence possible` shows it)."),
        (["--confidence", "possible"], ["DL105", "DL104"], "[*] 2 fixable with `--fix`."),
    ],
)
def test_confidence(
    here: Path, capsys: pytest.CaptureFixture[str], options: list[str], shown: list[str], closing: str
) -> None:
    (here / "a.py").write_text("LIKELY\nUNSURE\n")
    code, out, _ = run(capsys, "--output-format", "concise", *options)
    lines = out.splitlines()
    assert [line.split()[1] for line in lines if line.startswith("a.py")] == shown
    assert closing in lines
    assert code == bool(shown)
    assert (passed() in lines) is not bool(shown)


def test_the_configuration_says_how_sure_a_finding_has_to_be(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "a.py").write_text("UNSURE\n")
    (here / "devlint.toml").write_text('confidence = "possible"\n')
    assert run(capsys)[0] == 1
    assert run(capsys, "--confidence", "likely")[0] == 0
    (here / "devlint.toml").write_text('confidence = "perhaps"\n')
    code, _, err = run(capsys)
    assert code == 2
    assert "unknown confidence `perhaps`; choose from certain, likely, possible" in err


def test_a_suppression_of_what_is_not_sure_enough_is_of_use(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "a.py").write_text("UNSURE  # devlint: ignore[DL104]\n")
    assert run(capsys) == (0, f"{passed()}\n", "")
    (here / "a.py").write_text("OK  # devlint: ignore[DL104]\n")
    assert "DL901" in run(capsys)[1]


WITHHELD = "a.py:2:1: DL201 withheld: periodic: it runs in a branch that is only taken in every n-th step\n"


def test_what_was_withheld_is_shown_where_it_is_asked_for(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "a.py").write_text("OK\nHELD\n")
    assert run(capsys) == (0, f"{passed()}\n", "")
    assert run(capsys, "--show-silenced") == (0, f"{passed()}\n{WITHHELD}", "")
    assert run(capsys, "--show-silenced", "--ignore", "DL2") == (0, f"{passed(rules=NOT_WAITS)}\n", "")
    assert run(capsys, "--show-silenced", "--output-format", "json") == (0, "[]\n", WITHHELD)


def test_what_was_withheld_of_standard_input(
    here: Path,  # noqa: ARG001
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pipe(monkeypatch, b"OK\nHELD\n")
    _, out, _ = run(capsys, "--show-silenced", "--stdin-filename", "a.py", "-")
    assert out == f"{passed()}\n{WITHHELD}"


def test_settings_are_shown_as_a_configuration_file_says_them(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "inner").mkdir()
    (here / "inner" / "devlint.toml").write_text(
        'select = ["DL1", "DL201"]\nconfidence = "certain"\nexclude = ["old"]\n'
        '[per-file-ignores]\n"bench/**" = ["DL2", "DL301"]\n'
    )
    (here / "a.py").write_text("BUG\n")
    code, out, err = run(capsys, "--show-settings", "inner", "--unsafe-fixes")
    assert (code, err) == (0, "")
    assert out == (
        "# Settings for inner\n"
        f"# from {Path('inner') / 'devlint.toml'}; patterns are relative to {here / 'inner'}\n"
        'select = ["DL1", "DL201", "DL900"]\n'
        'confidence = "certain"\n'
        'exclude = ["old"]\n'
        "force-exclude = false\n"
        "respect-gitignore = true\n"
        'output-format = "full"\n'
        "own = []\n"
        "fix = false\n"
        "unsafe-fixes = true\n"
        "\n"
        "[per-file-ignores]\n"
        '"bench/**" = ["DL2", "DL301"]\n'
    )
    code, out, _ = run(capsys, "--show-settings", "a.py", ".", "inner")
    assert code == 0
    assert out.startswith(
        f"# Settings for a.py, .\n# from {here.parent / 'devlint.toml'}; patterns are relative"
    )
    assert '[per-file-ignores]\n"**/tests/**" = ["DL2", "DL3"]\n\n# Settings for inner\n' in out


def test_what_the_command_line_says_of_files_is_relative_to_where_it_was_given(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = run(capsys, "--show-settings", "--per-file-ignores", "a.py:DL1")
    assert out.endswith(f'[per-file-ignores]\n"a.py" = ["DL1"]  # relative to {here}\n')


def test_tests_may_wait_and_copy_unless_somebody_says_otherwise(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in ("tests", "package/tests/unit", "contests"):
        (here / folder).mkdir(parents=True)
        (here / folder / "a.py").write_text("BUG + RISKY\n")

    def found(*options: str) -> list[str]:
        out = run(capsys, "--output-format", "concise", "-q", *options)[1]
        return [f"{line.split(':')[0]} {line.split()[1]}" for line in out.splitlines()]

    everywhere = [
        f"{folder}/a.py {code}"
        for folder in ("contests", "package/tests/unit", "tests")
        for code in ("DL101", "DL301")
    ]
    in_code = [each for each in everywhere if each.startswith("contests") or each.endswith("DL101")]
    assert found() == in_code
    assert found("--per-file-ignores", "x.py:DL1") == everywhere
    (here / "devlint.toml").write_text("per-file-ignores = {}\n")
    assert found() == everywhere


def test_findings(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "b.py").write_text("x = RISKY\n")
    (here / "a.py").write_text("OK\nBUG\n")
    code, out, err = run(capsys, "--extend-select", "DL301")
    assert (code, err) == (1, "")
    assert out == (
        "a.py:2:1: DL101 [*] BUG was found\n"
        "  |\n"
        "2 | BUG\n"
        "  | ^^^\n"
        "\n"
        "b.py:1:5: DL301 RISKY was found\n"
        "  |\n"
        "1 | x = RISKY\n"
        "  |     ^^^^^\n"
        "\n"
        "Found 2 findings.\n"
        "[*] 1 fixable with `--fix` (1 unsafe fix available with `--fix --unsafe-fixes`).\n"
    )


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        ([], ["DL101", "DL102", "DL301"]),
        (["--select", "DL1"], ["DL101", "DL102"]),
        (["--select", "DL101,DL301"], ["DL101", "DL301"]),
        (["--select", "DL101", "--select", "DL301"], ["DL101", "DL301"]),
        (["--select", "ALL", "--ignore", "DL1"], ["DL301"]),
        (["--per-file-ignores", "a.py:DL1"], ["DL301"]),
        (["--per-file-ignores", "b.py:DL1,*.py:DL301"], ["DL101", "DL102"]),
    ],
)
def test_rules_are_selected(
    here: Path, capsys: pytest.CaptureFixture[str], options: list[str], codes: list[str]
) -> None:
    (here / "devlint.toml").write_text('select = ["DL101", "DL102", "DL301"]\n')
    (here / "a.py").write_text("BUG + SHOWN + RISKY\n")
    code, out, _ = run(capsys, "--output-format", "json", *options)
    assert code == 1
    assert [record["code"] for record in json.loads(out)] == codes


def test_json_is_as_published(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.py").write_text("BUG\nx = 1  # devlint: ignore[DL101]\n")
    (here / "bad.py").write_text("x = (\n")
    (here / "worse.py").write_bytes(b"\xff\n")
    (here / "n.ipynb").write_text(json.dumps({"cells": [{"cell_type": "code", "source": ["\n", "BUG"]}]}))
    code, out, _ = run(capsys, "--output-format", "json")
    records = json.loads(out)
    jsonschema.validate(records, SCHEMA)
    assert code == 1
    assert [record["code"] for record in records] == ["DL101", "DL901", "DL900", "DL101", "DL900"]
    assert [record["filename"] for record in records[:1]] == [str(here / "a.py")]
    assert records[3]["cell"] == 1
    assert records[3]["fix"]["edits"][0]["location"] == {"row": 2, "column": 1}


def test_files_that_cannot_be_read_are_never_clean(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "bad.py").write_text("x = (\n")
    (here / "a.py").write_text("OK\n")
    for options in (
        [],
        ["--select", "DL2"],
        ["--ignore", "DL9"],
        ["--per-file-ignores", "*:ALL"],
        ["--diff"],
    ):
        code, out, err = run(capsys, "--output-format", "concise", *options)
        assert code == 1
        assert "bad.py:1:5: DL900 the file could not be checked" in out + err
        assert "passed" not in out + err


def test_missing_paths(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.py").write_text("BUG\n")
    code, out, err = run(capsys, "nope.py", "a.py", "--output-format", "concise")
    assert code == 2
    assert "a.py:1:1: DL101" in out
    assert err == "error: nope.py: no such file or directory\n"
    code, out, err = run(capsys, "nope.py")
    assert (code, out) == (2, "")


def test_no_files(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, str(here)) == (0, "", "warning: no Python files were found under the given paths\n")


def test_a_failure_of_devlint_spares_the_other_files(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.py").write_text("CRASH\n")
    (here / "b.py").write_text("BUG\n")
    (here / "c.py").write_text("OK\n")
    code, out, err = run(capsys, "--output-format", "concise")
    assert code == 2
    assert "b.py:1:1: DL101" in out
    assert err.startswith("error: a.py: devlint failed on this file (KeyError")
    assert err.count("\n") == 1
    code, out, _ = run(capsys, "a.py", "c.py")
    assert (code, out) == (2, "")
    assert main(["check", "a.py", "--verbose"]) == 2
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--select", "DL011"], "--select: unknown rule code `DL011`"),
        (["--ignore", "DL900"], "--ignore: DL900 cannot be turned off"),
        (["--per-file-ignores", "DL101"], "--per-file-ignores: `DL101` is not of the form PATTERN:CODE"),
        (["--exclude", "!"], "--exclude: `!` is not a path pattern"),
        (["-", "a.py"], "standard input"),
        (["--stdin-filename", "a.py"], "--stdin-filename"),
        (["--fix", "--add-ignore"], "--add-ignore and --fix"),
        (["--config", "none.toml"], "none.toml: does not exist"),
        (["--config", "none.toml", "--isolated"], "--config and --isolated cannot be combined"),
        (["--output-file", "none/out.txt"], "--output-file: none/out.txt"),
        (["--output-file", "."], "--output-file: ."),
    ],
)
def test_bad_use(here: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    (here / "a.py").write_text("OK\n")
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("arguments", [["--frob"], ["--output-format", "pretty"], ["--fix=maybe"]])
def test_bad_options(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["check", *arguments])
    assert left.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_bad_configuration(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "sub").mkdir()
    (here / "sub" / "devlint.toml").write_text("selekt = []\n")
    (here / "sub" / "a.py").write_text("OK\n")
    code, out, err = run(capsys)
    assert (code, out) == (2, "")
    assert "sub/devlint.toml: `selekt` is not a setting" in err
    assert err.count("\n") == 1
    assert run(capsys, "--isolated")[0] == 0


def test_exit_zero(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.py").write_text("BUG\n")
    assert run(capsys, "--exit-zero")[0] == 0
    assert run(capsys, "--exit-zero", "--diff")[0] == 0
    assert run(capsys, "--exit-zero", "a.py", "none.py")[0] == 2


def test_quiet(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.py").write_text("BUG\n")
    assert run(capsys, "-q", "--output-format", "concise")[1] == "a.py:1:1: DL101 [*] BUG was found\n"
    (here / "a.py").write_text("OK\n")
    assert run(capsys, "-q") == (0, "", "")


def test_statistics(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.py").write_text("BUG + BUG + SHOWN\n")
    code, out, _ = run(capsys, "--statistics", "-q")
    assert code == 1
    assert [line.split("\t")[:2] for line in out.splitlines()] == [["2", "DL101"], ["1", "DL102"]]
    records = json.loads(run(capsys, "--statistics", "--output-format", "json")[1])
    assert [(record["code"], record["count"], record["fixable"]) for record in records] == [
        ("DL101", 2, True),
        ("DL102", 1, False),
    ]


def test_output_file(here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "a.py").write_text("BUG\n")
    monkeypatch.setenv("FORCE_COLOR", "")
    assert run(capsys, "--output-file", "out.txt", "--output-format", "concise") == (1, "", "")
    assert (here / "out.txt").read_text().startswith("a.py:1:1: DL101 [*] BUG was found\n")


def test_fix(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.py").write_text("BUG + SHOWN\n")
    (here / "b.py").write_text("NESTED\n")
    code, out, _ = run(capsys, "--fix", "--show-fixes", "--output-format", "concise")
    assert code == 1
    assert out == (
        "Fixed 3 findings:\n- a.py:\n    1 DL101\n- b.py:\n    2 DL101\n\n"
        "a.py:1:6: DL102 SHOWN was found\n"
        "Found 4 findings (3 fixed, 1 remaining).\n"
    )
    assert (here / "a.py").read_text() == "OK + SHOWN\n"
    assert run(capsys, "b.py", "--fix") == (0, f"{passed()}\n", "")


def test_unsafe_fixes(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.py").write_text("BUG + RISKY\n")
    code, out, _ = run(capsys, "--unsafe-fixes", "--select", "DL1,DL3")
    assert code == 1
    assert out.endswith("[*] 2 fixable with `--fix --unsafe-fixes`.\n")
    assert (here / "a.py").read_text() == "BUG + RISKY\n"
    assert run(capsys, "--fix", "--unsafe-fixes", "--select", "DL1,DL3")[0] == 0
    assert (here / "a.py").read_text() == "OK + OK\n"


def test_configuration_asks_for_fixes_and_the_command_line_refuses(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "devlint.toml").write_text('fix = true\noutput-format = "concise"\n')
    (here / "a.py").write_text("BUG\n")
    assert run(capsys, "--no-fix")[1].startswith("a.py:1:1: DL101")
    assert run(capsys)[0] == 0
    assert (here / "a.py").read_text() == "OK\n"


def test_diff(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.py").write_text("x\nBUG\ny\n")
    (here / "b.py").write_text("SHOWN\n")
    code, out, err = run(capsys, "--diff")
    assert code == 1
    assert out == "--- a.py\n+++ a.py\n@@ -1,3 +1,3 @@\n x\n-BUG\n+OK\n y\n"
    assert err == "Would fix 1 finding.\n"
    assert (here / "a.py").read_text() == "x\nBUG\ny\n"
    assert run(capsys, "--diff", "b.py") == (0, "", "")


def test_add_ignore(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.py").write_text("BUG + SHOWN\n")
    code, out, err = run(capsys, "--add-ignore", "--diff")
    assert (code, err) == (1, "Would ignore 2 findings.\n")
    assert "+BUG + SHOWN  # devlint: ignore[DL101, DL102]\n" in out
    assert (here / "a.py").read_text() == "BUG + SHOWN\n"
    assert run(capsys, "--add-ignore") == (0, f"{passed()}\n", "Ignored 2 findings.\n")
    assert (here / "a.py").read_text() == "BUG + SHOWN  # devlint: ignore[DL101, DL102]\n"
    assert run(capsys) == (0, f"{passed()}\n", "")


def test_standard_input(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "devlint.toml").write_text('per-file-ignores = { "b.py" = ["DL101"] }\n')
    pipe(monkeypatch, b"BUG\n")
    code, out, err = run(capsys, "-", "--output-format", "concise")
    assert (code, out.splitlines()[0], err) == (1, "-:1:1: DL101 [*] BUG was found", "")
    pipe(monkeypatch, b"BUG\n")
    _, out, _ = run(capsys, "-", "--stdin-filename", "sub/a.py", "--output-format", "json")
    assert json.loads(out)[0]["filename"] == str(here / "sub" / "a.py")
    pipe(monkeypatch, b"BUG\n")
    assert run(capsys, "-", "--stdin-filename", "b.py")[0] == 0


@pytest.mark.usefixtures("here")
def test_standard_input_is_fixed_to_standard_output(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    for data, expected, code in (
        (b"BUG + SHOWN\r\n", b"OK + SHOWN\r\n", 1),
        (b"# coding: latin-1\n'\xe9'; BUG\n", b"# coding: latin-1\n'\xe9'; OK\n", 0),
        (b"OK\n", b"OK\n", 0),
        (b"x = (\n", b"x = (\n", 1),
        (b"\xff\n", b"\xff\n", 1),
    ):
        pipe(monkeypatch, data)
        assert main(["check", "-", "--fix"]) == code
        out, err = capfdbinary.readouterr()
        assert out == expected
        assert err.endswith(b"\n")


@pytest.mark.usefixtures("here")
def test_diff_of_standard_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    pipe(monkeypatch, b"BUG\n")
    code, out, _ = run(capsys, "-", "--diff", "--stdin-filename", "a.py")
    assert (code, out) == (1, "--- a.py\n+++ a.py\n@@ -1 +1 @@\n-BUG\n+OK\n")


@pytest.mark.usefixtures("here")
def test_excluded_standard_input_passes_through(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe(monkeypatch, b"BUG\n")
    options = ("--force-exclude", "--extend-exclude", "gen.py", "--fix", "-q")
    assert run(capsys, "-", "--stdin-filename", "gen.py", *options) == (0, "BUG\n", "")


def test_files_that_would_be_checked(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("b.py", "a.py", "n.ipynb", "text.txt", ".venv/c.py", "pack/d.py"):
        (here / name).parent.mkdir(exist_ok=True)
        (here / name).write_text("BUG\n")
    shown = f"a.py\nb.py\nn.ipynb\n{Path('pack') / 'd.py'}\n"
    assert run(capsys, "--show-files") == (0, shown, "")
    assert run(capsys, "--show-files", "--exclude", "pack", "b.py", "pack/d.py")[1] == "b.py\npack/d.py\n"
    assert run(capsys, "--show-files", "a.py", "none.py") == (
        2,
        "a.py\n",
        "error: none.py: no such file or directory\n",
    )


@pytest.mark.parametrize(
    ("option", "variable", "coloured"),
    [("auto", None, False), ("always", "NO_COLOR", True), ("never", "FORCE_COLOR", False)],
)
def test_the_option_for_colours_outranks_the_environment(
    here: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    option: str,
    variable: str | None,
    coloured: bool,
) -> None:
    (here / "a.py").write_text("BUG\n")
    if variable:
        monkeypatch.setenv(variable, "1")
    assert ("\x1b[" in run(capsys, "--color", option)[1]) is coloured


def test_the_least_severity_that_fails(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "waits.py").write_text("OK  # devlint: ignore[DL101]\n")
    (here / "raises.py").write_text("BUG\n")
    assert run(capsys, "waits.py")[0] == 1
    assert run(capsys, "--fail-on", "warning", "waits.py")[0] == 1
    code, out, _ = run(capsys, "--fail-on", "error", "waits.py")
    assert code == 0
    assert "Found 1 finding." in out
    assert run(capsys, "--fail-on", "error", "raises.py")[0] == 1


def test_all_rules_are_on(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.py").write_text("OK\n")
    rules = len(set(registry.codes()) - registry.ONLY_IN_A_RUN)
    said = f"All checks passed! Checked 1 file with all {rules} rules.\n"
    assert run(capsys, "--select", "ALL") == (0, said, "")
